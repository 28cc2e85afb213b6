package main

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The functions in use, by index in the structure OrtApi of the C API of ONNX Runtime
// (onnxruntime_c_api.h), where indices never change: all of them are in its first version.
const (
	getErrorMessage                  = 2
	createEnv                        = 3
	createSession                    = 7
	run                              = 9
	createSessionOptions             = 10
	setSessionGraphOptimizationLevel = 23
	setIntraOpNumThreads             = 24
	setInterOpNumThreads             = 25
	sessionGetInputCount             = 30
	sessionGetOutputCount            = 31
	sessionGetInputName              = 36
	sessionGetOutputName             = 37
	createTensorWithDataAsOrtValue   = 49
	getTensorMutableData             = 51
	getTensorElementType             = 60
	getDimensionsCount               = 61
	getDimensions                    = 62
	getTensorTypeAndShape            = 65
	createCPUMemoryInfo              = 69
	getAllocatorWithDefaultOptions   = 78
	releaseStatus                    = 93
	releaseValue                     = 96
	releaseTensorTypeAndShapeInfo    = 99
	functions                        = 100
)

const (
	apiVersion   = 1
	warning      = 2  // log level
	allOptimized = 99 // of graphs
	arenaMemory  = 1
	defaultKind  = 0
	int64Tensor  = 7
	floatTensor  = 1
)

// A session is an open model. It uses one thread, so that its output for a text is always the same.
type session struct {
	api     *[functions]uintptr
	version string

	handle, memory, allocator uintptr

	inputs  []input
	output  []byte // its name, as a C string
	outputs []string
}

// An input of the model.
type input struct {
	name []byte // as a C string
	fill int64  // the value of all its elements; -1 for the tokens
}

// knownInputs are the inputs of text models: the mask makes each token count, and all belong to the
// first text.
var knownInputs = map[string]int64{"input_ids": -1, "attention_mask": 1, "token_type_ids": 0}

func openSession(path string) (*session, error) {
	library, err := loadLibrary()
	if err != nil {
		return nil, err
	}
	s := &session{}
	if err := s.openAPI(library); err != nil {
		return nil, err
	}
	if err := s.openModel(path); err != nil {
		return nil, err
	}
	return s, s.chooseInputsAndOutput()
}

// openAPI finds the functions.
func (s *session) openAPI(library uintptr) error {
	get, err := purego.Dlsym(library, "OrtGetApiBase")
	if err != nil {
		return fmt.Errorf("it is no library of ONNX Runtime: %w", err)
	}
	base, _, _ := purego.SyscallN(get)
	if base == 0 {
		return errors.New("ONNX Runtime has no interface")
	}
	of := (*[2]uintptr)(pointer(base)) // GetApi, GetVersionString
	api, _, _ := purego.SyscallN(of[0], apiVersion)
	version, _, _ := purego.SyscallN(of[1])
	if api == 0 {
		return fmt.Errorf("ONNX Runtime %s has not the interface that is needed", goString(version))
	}
	s.api, s.version = (*[functions]uintptr)(pointer(api)), goString(version)
	return nil
}

// openModel opens the file.
func (s *session) openModel(path string) error {
	var env, options uintptr
	name, file := cString("mithril-onnx"), cString(path)
	if err := s.call(createEnv, warning, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&env))); err != nil {
		return err
	}
	if err := s.call(createSessionOptions, uintptr(unsafe.Pointer(&options))); err != nil {
		return err
	}
	for _, setting := range []struct{ function, value uintptr }{
		{setIntraOpNumThreads, 1}, {setInterOpNumThreads, 1}, {setSessionGraphOptimizationLevel, allOptimized},
	} {
		if err := s.call(setting.function, options, setting.value); err != nil {
			return err
		}
	}
	err := s.call(createSession, env, uintptr(unsafe.Pointer(&file[0])), options, uintptr(unsafe.Pointer(&s.handle)))
	if err != nil {
		return err
	}
	if err := s.call(createCPUMemoryInfo, arenaMemory, defaultKind, uintptr(unsafe.Pointer(&s.memory))); err != nil {
		return err
	}
	return s.call(getAllocatorWithDefaultOptions, uintptr(unsafe.Pointer(&s.allocator)))
}

// chooseInputsAndOutput returns an error for a model with other inputs. It prefers a pooled output,
// or else takes the first.
func (s *session) chooseInputsAndOutput() error {
	names, err := s.names(sessionGetInputCount, sessionGetInputName)
	if err != nil {
		return err
	}
	for _, name := range names {
		fill, ok := knownInputs[name]
		if !ok {
			return fmt.Errorf("the model has an input %q: input_ids, attention_mask and token_type_ids are possible",
				name)
		}
		s.inputs = append(s.inputs, input{cString(name), fill})
	}
	if s.outputs, err = s.names(sessionGetOutputCount, sessionGetOutputName); err != nil {
		return err
	}
	if len(s.inputs) == 0 || len(s.outputs) == 0 {
		return errors.New("the model has no input, or no output")
	}
	chosen := s.outputs[0]
	for _, name := range s.outputs {
		if name == "sentence_embedding" {
			chosen = name
		}
	}
	s.output = cString(chosen)
	return nil
}

// names returns all names of one kind.
func (s *session) names(countOf, nameOf uintptr) (names []string, err error) {
	var count uintptr
	if err := s.call(countOf, s.handle, uintptr(unsafe.Pointer(&count))); err != nil {
		return nil, err
	}
	for i := range count {
		var name uintptr
		if err := s.call(nameOf, s.handle, i, s.allocator, uintptr(unsafe.Pointer(&name))); err != nil {
			return nil, err
		}
		names = append(names, goString(name)) // never freed: a few bytes
	}
	return names, nil
}

// run runs the model on tokens. The output has a row for each, or one for all if the model pools.
func (s *session) run(ids []int64) (rows, dims int, values []float32, err error) {
	shape := [2]int64{1, int64(len(ids))}
	inputs, names := make([]uintptr, len(s.inputs)), make([]uintptr, len(s.inputs))
	held := make([][]int64, len(s.inputs))
	defer func() {
		for _, value := range inputs {
			s.release(releaseValue, value)
		}
	}()
	for i, in := range s.inputs {
		held[i] = ids
		if in.fill >= 0 {
			held[i] = make([]int64, len(ids))
			for j := range held[i] {
				held[i][j] = in.fill
			}
		}
		names[i] = address(in.name)
		err := s.call(createTensorWithDataAsOrtValue, s.memory, uintptr(unsafe.Pointer(&held[i][0])),
			uintptr(8*len(ids)), uintptr(unsafe.Pointer(&shape)), 2, int64Tensor, uintptr(unsafe.Pointer(&inputs[i])))
		if err != nil {
			return 0, 0, nil, err
		}
	}
	output, result := address(s.output), uintptr(0)
	err = s.call(run, s.handle, 0, uintptr(unsafe.Pointer(&names[0])), uintptr(unsafe.Pointer(&inputs[0])),
		uintptr(len(inputs)), uintptr(unsafe.Pointer(&output)), 1, uintptr(unsafe.Pointer(&result)))
	for _, needed := range []any{held, &shape, names, &output} {
		runtime.KeepAlive(needed)
	}
	if err != nil {
		return 0, 0, nil, err
	}
	defer s.release(releaseValue, result)
	return s.floatsOf(result, len(ids))
}

// floatsOf copies the numbers of a result.
func (s *session) floatsOf(value uintptr, tokens int) (rows, dims int, values []float32, err error) {
	var info, count, data uintptr
	if err := s.call(getTensorTypeAndShape, value, uintptr(unsafe.Pointer(&info))); err != nil {
		return 0, 0, nil, err
	}
	defer s.release(releaseTensorTypeAndShapeInfo, info)
	kind := int32(0)
	if err := s.call(getTensorElementType, info, uintptr(unsafe.Pointer(&kind))); err != nil {
		return 0, 0, nil, err
	}
	if err := s.call(getDimensionsCount, info, uintptr(unsafe.Pointer(&count))); err != nil {
		return 0, 0, nil, err
	}
	shape := make([]int64, max(1, count))
	if err := s.call(getDimensions, info, uintptr(unsafe.Pointer(&shape[0])), count); err != nil {
		return 0, 0, nil, err
	}
	switch {
	case kind != floatTensor:
		return 0, 0, nil, fmt.Errorf("the output is of the kind %d: it must have 32-bit floats, kind %d", kind,
			floatTensor)
	case count == 2 && shape[0] == 1:
		rows, dims = 1, int(shape[1])
	case count == 3 && shape[0] == 1 && shape[1] == int64(tokens):
		rows, dims = tokens, int(shape[2])
	default:
		return 0, 0, nil, fmt.Errorf("the output has the shape %v for %d tokens: [1 tokens dimensions] and "+
			"[1 dimensions] are possible", shape[:count], tokens)
	}
	if err := s.call(getTensorMutableData, value, uintptr(unsafe.Pointer(&data))); err != nil {
		return 0, 0, nil, err
	}
	return rows, dims, append(values, unsafe.Slice((*float32)(pointer(data)), rows*dims)...), nil
}

// call calls a function that returns a status. What is given as an address stays alive, and where
// it is, until it returns.
//
//go:uintptrescapes
func (s *session) call(function uintptr, arguments ...uintptr) error {
	status, _, _ := purego.SyscallN(s.api[function], arguments...)
	if status == 0 {
		return nil
	}
	message, _, _ := purego.SyscallN(s.api[getErrorMessage], status)
	err := errors.New(goString(message))
	s.release(releaseStatus, status)
	return err
}

// release frees handle unless it is zero.
func (s *session) release(function, handle uintptr) {
	if handle != 0 {
		purego.SyscallN(s.api[function], handle)
	}
}
