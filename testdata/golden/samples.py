"""The texts of the golden vectors. What is hard to see in an editor is written as an escape."""

NORMALIZE = [
    "", " ", "plain ascii text, 0123456789", "ALL CAPITALS [\\]^_`{|}~", "tabs\tand\r\nline ends\n",
    # Latin: composed and decomposed, accents in capitals, more than one mark, marks in both orders
    "caf\u00e9 CAF\u00c9", "cafe\u0301 CAFE\u0301", "\u1ec6 E\u0323\u0302 E\u0302\u0323 \u00ca\u0323",
    "A\u030angstr\u00f6m \u212bngstro\u0308m",
    "\u0141\u00f3d\u017a \u00d8 \u00c6 \u0152 \u0110 \u00de", "q\u0307\u0323 q\u0323\u0307",
    # A mark after each kind of ASCII edge; a mark that begins the text
    "a\u0301", "a \u0301b", "a\n\u0301", "1\u0301", "-\u0327x", "\u0301abc", "=\u0338 <\u0338 >\u0338",
    "abcdefgh\u0308 abcdefgh\u0308",
    # Compatibility: ligatures, widths, fractions, super- and subscripts, circled, units, mathematical alphabets
    "\ufb03 \ufb01nancial \ufb05 \ufb06 \ufb13", "\uff28\uff45\uff4c\uff4c\uff4f\u3000\uff11\uff12\uff13\uff01",
    "\uff76\uff9e\uff77\uff9e \uff8a\uff9f \uff71\uff70",
    "\u00bd \u00b2 \u2460 \u24b6 \u2126 \u2122 \u2167 \u3392 \u33a1", "\U0001d400\U0001d4d0\U0001d56c\U0001d7d9",
    "\u01c4 \u01c5 \u01c6 \u01c7 \u01c8 \u01cb \u01f1 \u01f2",
    "\u00a0 \u2003 \u3000 \u2011 \u2026 \u00b5 \u00aa \u00ba", "\u00a8 \u00b4 \u00b8 \u037a \u1fbd", "\ufdfa",
    "\ufe8e\ufe91 \ufefb",
    # Hangul: syllables, conjoining and compatibility and half-width letters
    "\ud55c\uad6d\uc5b4", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165",
    "\ud558\u11ab \uac00\u11a7 \u1100\u1161\u11a8", "\u314e\u314f\u3134", "\uffbe\uffc2\uffa4",
    # Kana with voicing marks, Indic and other compositions, exclusions
    "\u304b\u3099 \u306f\u309a \u304b\u309a", "\u0928\u093c \u0958 \u0915\u093c",
    "\u09c7\u09be \u0dd9\u0dcf \u1025\u102e", "\u0f73\u0f71\u0f72 \u0f77", "\u2adc \U0001d15e",
    "\u05e9\u05bc\u05c1 \ufb2c \u05e9\u05c1\u05bc", "\u0623\u0654 \u0627\u0653\u0654", "\uf900\uf951 \U0002f800",
    # Folding: the hard ones
    "stra\u00dfe STRASSE \u1e9e", "\u0130stanbul \u0131 I i I\u0307", "\u017f\u1e9b \u1e9b\u0323 \u017ft",
    "\u212a elvin K k", "\u0149 \u01f0 \u0390 \u03b0 \u1fd3 \u1fe3 \u0587",
    "\u13a0\u13a1 \uab70\uab71 \u13f0 \u13f8", "\u1c90\u1c91 \u10d0\u10d1 \u10a0 \u2d00",
    "\u0391\u0345 \u1f88 \u1fbc \u1fb3 \u0345 \u0399", "\u03a3\u03c3\u03c2 \u03d0 \u03d1 \u03d5 \u03f4 \u03f1",
    "\u03b1\u0345\u0301 \u1fb4 \u1f80", "\u0416\u0436 \u0419\u0439 \u0418\u0306 \u1c80 \ua64a",
    "\U00010400\U00010428 \U0001e900\U0001e922 \U000118a0", "\ua7c4 \ua7c6 \u2c2f \ua7d0 \ua7d8", "\u24b6 \u2160",
    # Format characters: in a word, at its edges, alone; what is not one (variation selector, grapheme joiner, Hangul filler)
    "co\u00adoper\u200bate", "\u200f\u05d0\u05d1\u200e \u202aabc\u202c \u2066x\u2069",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0915\u094d\u200d\u0937", "\ufeffBOM\ufeff", "\u200b",
    "e\u200d\u0301", "a\u00ad\u0301", "\u1100\u200b\u1161", "\u0600\u06dd\u070f\u180e\u2060\u2064",
    "\U000e0001\U000e0041x\U000e007f", "\ufe0f\u034f\u115f\u3164\u180b",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f3f4\U000e0067\U000e0062\U000e007f \u2764\ufe0f \U0001f44d\U0001f3fd",
    "\u2028\u2029\u0085",
    "\0\u0001\u001f\u007f\u0080\u009f", "\ufffd\uffff\ufdd0\U0010ffff", "\ue000\U000f0000\U00100000",
    "\u0378\u1c89\ua7cb\U000e0080",
    # Runs of non-starters around the limit of thirty
    "a" + "\u0301" * 29 + "b", "a" + "\u0301" * 30 + "b", "a" + "\u0301" * 31 + "b", "a" + "\u0323\u0301" * 46,
    "\u00e9" + "\u0301" * 29, "\u00e9" + "\u0301" * 30,
    "\u0301" * 31, "a" + "\u0301" * 29 + "\u0344", "a" + "\u0301" * 28 + "\u0344x", "a" + "\u0301" * 30 + "\uff9e",
    "\u0628" + "\u064b" * 29 + "\ufe7e" + "\u0650",
    # ... where a code point that composes with the one before counts as a non-starter too
    "\ud55c" + "\u0301" * 28, "\ud55c" + "\u0301" * 29, "\ud558" + "\u0301" * 29, "\ud558" + "\u0301" * 30,
    "\u1100" + "\u1161" * 31, "\u0995" + "\u09be" * 31, "\u0915" + "\u093e" * 31,
    # ... and where stripping or folding changes the run
    "a" + "\u0301" * 20 + "\u200d" + "\u0301" * 20, "a" + "\u0301" * 15 + "\u0345" + "\u0323" * 16,
    "x" + "\u0345" * 31,
]

NORMALIZE_BYTES = [bytes.fromhex(h.replace(" ", "")) for h in (
    "80", "bf", "61 80 62", "ff fe", "c0 80", "c1 bf", "c3", "c3 28", "61 c3", "e2 82", "e2 82 41", "e2 28 a1",
    "e0 80 80", "e0 9f bf", "ed a0 80",
    "ed b0 80", "ed a0 bd ed b8 80", "ef bf", "f0 9f 98", "f0 9f 98 41", "f0 80 80 80", "f0 8f bf bf", "f4 90 80 80",
    "f5 80 80 80", "f8 88 80 80 80",
    "fc 84 80 80 80 80", "ef bb bf 41", "c2 ad ff c2 ad", "65 ff cc 81", "41 cc 81 80 cc 81", "80" * 40,
    "f4 8f bf bf", "ed 9f bf", "ee 80 80", "00 ff 00",
    "e1 84 92 e1 85 a1 e1 86", "61" * 40 + "c3", "e6 97 a5 e6 9c",
)]

TOKENIZE = [
    "", " ", "...", "?! — «»", "one", " one ", "The quick brown fox jumps over the lazy dog.",
    "it's don’t o'clock rock'n'roll l’été",
    "snake_case camelCase kebab-case __init__ a_1", "3.14 1,000,000 2024-05-17 v1.2.3 0x1F 10% $5",
    "x\u00b2 \u00bd \u2167 \u2460 H\u2082O", "user@example.com https://example.com/a?b=c#d",
    "naïve cafe\u0301 déjà-vu œuvre aujourd’hui", "Craîgnez « l’ennemi » : où est-il ?", "\u0301 a\u0301 \u0301",
    "Straße, Größe",
    "съешь ещё этих булок, по-русски", "ξεσκεπάζω τὴν ψυχή",
    "مرحبا بالعالم، كيف حالك؟", "مُحَمَّد ١٢٣", "می\u200cخواهم بروم۔",
    "בְּרֵאשִׁית בָּרָא־אֱלֹהִים׃ צה\"ל", "नमस्ते दुनिया। १२३ क्\u200dष",
    "தமிழ் மொழி", "বাংলা ভাষা।", "你好\uff0c世界。", "中文abc123混合", "〇一二三 \U00020000\U0002a6d6 \uf900 ⺀ \u2f00", "ㄅㄆˊ",
    "東京都に行きました。", "コーヒー ー \uff70 人々 〆切 〱〵 ゝヽ\u309f\u30ff", "か\u3099か\u309a \u3099", "・、「」\u3000〒〓",
    "\u33a5\u3392\u3220\u3280",
    "안녕하세요 세계! 한국어는 띄어쓴다.", "\u1112\u1161\u11ab \u314e\u314f", "สวัสดีชาวโลก ฿๑๒ๆฯ", "ສະບາຍດີ ໑ໆ",
    "សួស្តីពិភពលោក។ ១ៗ ᧠", "မင်္ဂလာပါ ၁၊ ꩠ ꧠ", "བོད་སྐད། ༡་",
    "\u1950\u1951 \u1980\u1981\u19d0 \u1a20\u1a60 \uaa80\uaa81",
    "\U00011700\U00011730 \U00018b00\U00016fe4\U00018b01 \U00017000\U00016fe0 \U0001b170\U00016fe1", "ꀀꀁ ᠠᠡ ሀለ Ꭰ",
    "\ua980ꧏ ᬅ កaกb", "Tokyo東京2020年ですOK", "a\u0301一\u0301b", "一\u0301\u0302c",
    "😀 👨\u200d👩\u200d👧 ok👍\U0001f3fdok ❤\ufe0f 1\ufe0f\u20e3 #\ufe0f\u20e3", "a\u200bb a\u00adb \ufeffa\ufeff",
    "a\u0000b\tc\u001cd\u0085e\u00a0f\u2028g", "\ufffda\ufffd", "\ue000\u0378a\uffffb",
    "\U0001d400\U0001d7d9 \ufb01\uff21",
    "ᛮ 〡〩\u3038 \U00010140", "ʼˈː ʔǃ \u1d2c", "‿ ⁀ \uff3f a‿b", "· \u0387 l·l ״ ‧", "🇩🇪", "ẞİ",
]

TOKENIZE_OTHERS = [
    "", " ", "\t\n\u000b\u000c\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000", "one two  three\n",
    "a\u001cb\u001fc d\u200be \u180ef\ufeffg \u2060h", "it's a-b_c, 你好\u3000世界!",
    "e\u0301 👨\u200d👩", "สวัสดี", "\u0000x\ufffd",
]

SHINGLE = [
    "", "!", "one", "a b", "a b c d", "a b c d e", "a b c d e f", "the cat and the cat and the cat and the cat",
    "東京に行く", "café 😀 naïve",
    "it was the first day of spring and the river ran high under the old stone bridge where two boys had come to fish",
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen "
    "twenty twenty-one twenty-two twenty-three twenty-four twenty-five twenty-six",
]

RIVER = """The river rises in a field of wet grass on the north side of the hill, and for its first two miles it is a ditch that a
child can jump. Below the mill it is joined by two streams from the west; from there it turns every wheel in the valley. In the
year of the great flood the water stood four feet deep in the church, and a line cut into the north wall still shows how high it
came. Since then the banks have been raised twice. Nobody now living has seen the lower meadows under water, yet the old people
of the village will not build there, and they will tell any stranger who asks that the river has only been lent its bed."""

ACCENTS = "À Noël, les élèves ont reçu un gâteau très sucré, décoré de cœurs et préparé près du hêtre."

ACCENTS_DECOMPOSED = ("A\u0300 Noe\u0308l, les e\u0301le\u0300ves ont rec\u0327u un ga\u0302teau tre\u0300s sucre\u0301, de\u0301core\u0301 de cœurs et pre\u0301pare\u0301 "
                      "pre\u0300s du he\u0302tre.")

TEXTS = [
    RIVER, RIVER.replace("child", "dog"), RIVER + " That is all that is known of it.", RIVER.upper(),
    RIVER.replace("\n", "\r\n\t"), RIVER.replace("mill", "mi\u00adll\u200b"),
    ACCENTS, ACCENTS_DECOMPOSED,
    "", " \n", "\u2026!?", "word", "Word!", "one two three four", "one two three four five",
    "one two three four five six", "a a a a a a a a a a a a", "一", "あいうえお",
    "Die Süßigkeit der großen Äpfel überraschte die Straßenbahnfahrer, die täglich an der Mühle vorbeifuhren.",
    "В лесу родилась ёлочка, в лесу она росла; зимой и летом стройная, зелёная была.",
    "Οι άνθρωποι της ΠΟΛΗΣ βλέπουν τον ήλιο και τη θάλασσα.",
    "ولد جميع الناس أحراراً متساوين في الكرامة والحقوق، وقد وهبوا عقلاً وضميراً.",
    "בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ׃",
    "सभी मनुष्यों को गौरव और अधिकारों के विषय में जन्मजात स्वतन्त्रता प्राप्त है।",
    "人人生而自由\uff0c在尊严和权利上一律平等。他们赋有理性和良心\uff0c并应以兄弟关系的精神相对待。",
    "すべての人間は、生まれながらにして自由であり、コーヒーも人々も平等である。\uff76\uff9e\uff77\uff9eー〇〆",
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน", "សួស្តីពិភពលោក។", "မင်္ဂလာပါ ခင်ဗျာ",
    "བོད་སྐད་སྨྲ་སྐད།", "Tôi có thể ăn thủy tinh mà không hại gì. İstanbul’da ışık.",
    "Release 2.0 (第二版): см. https://example.com/路径?q=1 — 🎉🎉 50% off_now!",
    "{\"id\": 17, \"tags\": [\"a\", \"b\"], \"body\": \"x &amp; y\"}\n\nfunc main() { fmt.Println(\"hi\") }",
]
