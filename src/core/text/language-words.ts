/** Words and letters of languages: what they use most, and what their captions often show. */
import { primaryLanguage } from './tokenization.js'

/**
 * Words that a caption can have in a language whatever it shows, at most 10⁻³ of all words each: articles, prepositions,
 * pronouns, conjunctions, auxiliary verbs. Empty for a language that is not listed.
 */
export function functionWords(language: string): ReadonlySet<string> {
  return FUNCTION_WORDS[primaryLanguage(language)] ?? new Set()
}

function setOf(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')))
}

export const FUNCTION_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: setOf(
    'a an the of on in is are was were with and at to his her its their by for near next while from that this it as into over',
    'under out up down all some has have be who which there not or two three',
  ),
  de: setOf(
    'der die das den dem des ein eine einen einem einer eines und oder in im an am auf aus bei beim mit nach neben zu zum',
    'zur vor von vom hinter unter über durch für ohne um während ist sind hat haben wird werden sich er sie es seine',
    'seinem seiner ihre ihrem ihrer die welche als wie nicht einige zwei drei',
  ),
  fr: setOf(
    'le la les un une des du de au aux et ou dans sur sous avec en à par pour devant derrière près qui que est sont a',
    'ont se sa son ses leur leurs ce cette il elle ils elles deux trois l d s qu pendant vers entre',
  ),
  es: setOf(
    'el la los las un una unos unas de del al y o en con por para sobre bajo junto hacia desde mientras que se es son',
    'está están su sus lo este esta dos tres frente',
  ),
  it: setOf(
    'il lo la gli le un uno una di del della dei delle dello al alla nel nella sul sulla con per su tra in da dal e ed che',
    'si è sono sta stanno suo sua suoi due tre mentre',
  ),
  pt: setOf(
    'o os as um uma uns umas de do da dos das em no na nos nas com por para sobre ao à pelo pela e ou que se é são está',
    'estão seu sua seus suas dois duas três enquanto',
  ),
  nl: setOf(
    'de het een en of in op aan met van voor bij door naar naast onder over tegen tussen uit terwijl is zijn heeft wordt',
    'worden zich hij zij haar die dat er twee drie',
  ),
  sv: setOf(
    'en ett och i på med av för till från vid som är har sig sin sitt sina den det de under över två tre medan',
  ),
  da: setOf(
    'en et og i på med af for til fra ved som er har sig sin sit sine den det de under over to tre mens',
  ),
  nb: setOf(
    'en ei et og i på med av for til fra ved som er har seg sin sitt sine den det de under over to tre mens',
  ),
  fi: setOf(
    'ja on joka jotka jossa sekä kanssa päällä vieressä edessä takana alla että hän hänen kaksi kolme',
  ),
  pl: setOf(
    'i w we na z ze do przy pod nad przed obok za od się jest są który która które jego jej oraz dwa dwie dwóch trzy',
  ),
  cs: setOf(
    'a v ve na s se z ze do u pod nad před vedle za od je jsou si který která které jeho její dva dvě tři při',
  ),
  sk: setOf(
    'a v vo na s so z zo do pri pod nad pred vedľa za od je sú si sa ktorý ktorá ktoré jeho jej dva dve tri',
  ),
  hu: setOf('a az egy és vagy van hogy mellett előtt alatt között ami aki két három is nem'),
  ro: setOf(
    'un o de pe în cu la și sau din lângă sub spre printr care este sunt se lui ei doi două trei unei unui',
  ),
  tr: setOf('bir ve ile bu iki üç olan var için gibi de da üzerinde yanında önünde içinde arkasında'),
  vi: setOf('một và của với trên trong ở đang là có những các người cái chiếc hai ba bên cạnh'),
  id: setOf('yang di dan dengan sebuah seorang dari pada untuk ke ini itu atas sedang adalah dua tiga'),
  sw: setOf('na wa ya kwa katika za la ni mbili kuna wakiwa akiwa juu'),
  hr: setOf('i u na s sa je su se iz od do za pored ispred koji koja koje dok svoj svoju dva dvije tri'),
  sl: setOf('in v na s z je so se iz od do za pri pred ki svoj dva dve tri'),
  fil: setOf('ang ng sa mga na at may isang isa nasa ni si dalawang habang'),
  ca: setOf(
    'el la els les un una uns unes de del dels al i o en amb per sobre que es és són està seu seva dos dues mentre',
  ),
  et: setOf('ja on kes mis ning ees taga kõrval peal all koos kaks kolm oma seisab'),
  lv: setOf('un ir ar uz pie no kas ka par pa divi divas trīs blakus savu'),
  lt: setOf('ir su ant prie iš kad kuris kuri du dvi trys šalia savo yra'),
  mi: setOf('te ngā he ki kei me ka e o a i rua tētahi ētahi ana runga'),
  quz: setOf('huk iskay kachkan hina pata patapi chaymanta'),
  ru: setOf(
    'и в во на с со к у из от до по за под над перед рядом около который которая которые его её их это два две три',
  ),
  uk: setOf('і й та в у на з зі до від по за під над перед біля який яка які його її їх це два дві три що'),
  bg: setOf(
    'и в във на с със към от до по за под над пред до който която които неговата си се е са два две три',
  ),
  sr: setOf('и у на с са је су се из од до за поред испред који која које док свој два две три'),
  ar: setOf('في على من إلى مع و عن هو هي هذا هذه التي الذي بين أمام'),
  fa: setOf('در با از به و که یک را روی این است دو کنار'),
  ur: setOf('میں اور کے کی کا ایک پر سے ہے ہیں کو ساتھ دو'),
  hi: setOf('में और के की का एक पर से है हैं को साथ दो'),
  mr: setOf('आणि एक वर च्या आहे आहेत मध्ये दोन'),
  ne: setOf('मा र एक को छ छन् दुई संग'),
  eu: setOf(
    'bat eta da dago du dute dira ari ondoan gainean azpian aurrean atzean batean batekin zuri batzuk',
  ),
  is: setOf(
    'og er á í með að sem það við eru fyrir frá til sér ein einn eitt tveir þrír hún hann yfir undir',
  ),
  sq: setOf('një të në me dhe është e i që për nga mbi pranë një dy tre po janë para nën së'),
  cy: setOf('yn y yr mae ar gyda ac wrth ei sydd wedi gan dan dau dwy tri ger mewn sy oddi'),
  ga: setOf('tá an na ag ar le agus ina sa atá faoi os ó den beirt dhá trí bhfuil san is in aice'),
  gl: setOf(
    'o os as un unha uns unhas de do da dos das en no na nos nas con por para ao á e ou que se é son está están seu súa dous dúas',
  ),
  af: setOf("die 'n van en in op met wat is by na hulle sy het aan deur vir langs onder twee drie nie"),
  mk: setOf('и во на со се од до за покрај под пред кој која кои своја еден една'),
  be: setOf('і ў на з са да ад па за пад каля перад які якая гэта яго два дзве'),
  kk: setOf('бір мен және үшін бар екі үш тұр отыр жатыр'),
}

/** What captions often show, and what those who are shown do. */
export const OFTEN_SHOWN: Readonly<Record<string, ReadonlySet<string>>> = {
  en: setOf(
    'man men woman women people person child children boy girl dog dogs cat cats horse bird baby group car bus train boat bike',
    'street road beach water grass table house field park room kitchen sign building tree trees front top side night day food',
    'plate bench field snow ball hat shirt van door bed view front back white black red blue green brown young old small large',
    'little big standing sitting holding wearing riding walking playing looking running eating sits stands runs plays looks',
    'holds wears walks rides eats sleeps riding next',
  ),
  de: setOf(
    'mann männer frau frauen kind kinder junge mädchen hund hunde katze pferd vogel leute menschen gruppe auto bus zug straße strand',
    'wasser gras tisch haus wiese wald steht sitzt läuft hält trägt spielt geht fährt liegt schaut schläft isst neben weißen roten',
    'schwarzen kleiner kleine großer große alter junger weißer brauner stehen sitzen spielen',
  ),
  fr: setOf(
    'homme hommes femme femmes enfant enfants garçon fille chien chiens chat cheval oiseau gens groupe voiture bus train rue plage',
    'eau herbe table maison champ assis assise debout tient porte joue marche court regarde mange dort blanc noir rouge bleu vert',
    'petit petite grand grande jeune vieux côté',
  ),
  es: setOf(
    'hombre hombres mujer mujeres niño niña niños perro perros gato caballo pájaro gente personas grupo coche autobús tren calle',
    'playa agua hierba césped mesa casa campo sentado sentada parado juega camina corre mira come duerme lleva blanco negro rojo',
    'azul verde pequeño grande joven viejo lado',
  ),
  it: setOf(
    'uomo uomini donna donne bambino bambina bambini ragazzo ragazza cane cani gatto cavallo uccello persone gruppo auto autobus',
    'treno strada spiaggia acqua erba tavolo casa campo seduto seduta piedi gioca cammina corre guarda mangia dorme tiene bianco',
    'nero rosso verde piccolo piccola grande giovane vecchio accanto',
  ),
  pt: setOf(
    'homem homens mulher mulheres menino menina criança crianças cachorro cão cães gato cavalo pássaro pessoas grupo carro ônibus',
    'autocarro trem comboio rua praia água grama relva mesa casa campo sentado sentada brinca anda corre olha come dorme segura',
    'branco preto vermelho azul verde pequeno pequena jovem velho lado',
  ),
  nl: setOf(
    'man mannen vrouw vrouwen kind kinderen jongen meisje hond honden kat paard vogel mensen groep auto bus trein straat strand',
    'gras tafel huis veld staat staan zit zitten loopt lopen speelt spelen rent kijkt eet slaapt houdt draagt rijdt witte zwarte',
    'rode blauwe groene kleine grote jonge oude een',
  ),
  sv: setOf(
    'man män kvinna kvinnor barn pojke flicka hund hundar katt häst fågel människor personer grupp bil buss tåg gata gatan strand',
    'stranden vatten gräset gräs bord bordet hus står sitter går leker spelar springer tittar äter sover håller bär vit svart röd',
    'blå grön liten stor ung gammal bredvid framför',
  ),
  da: setOf(
    'mand mænd kvinde kvinder barn børn dreng pige hund hunde kat hest fugl mennesker personer gruppe bil bus tog gade gaden strand',
    'stranden vand græs græsset bord bordet hus står sidder går leger spiller løber kigger spiser sover holder bærer hvid sort rød',
    'blå grøn lille stor ung gammel siden foran',
  ),
  nb: setOf(
    'mann menn kvinne kvinner barn gutt jente hund hunder katt hest fugl mennesker personer gruppe bil buss tog gate gata gaten',
    'strand stranden vann gress gresset bord bordet hus står sitter går leker spiller løper ser spiser sover holder bærer hvit svart',
    'rød blå grønn liten lite stor ung gammel siden foran',
  ),
  fi: setOf(
    'mies miehet nainen naiset lapsi lapset poika tyttö koira koirat kissa hevonen lintu ihmiset ihmisiä ryhmä auto bussi juna katu',
    'kadulla rannalla vesi ruoho ruoholla nurmikolla pöytä talo seisoo istuu kävelee leikkii pelaa juoksee katsoo syö nukkuu pitää',
    'valkoinen musta punainen sininen vihreä pieni suuri nuori vanha kuva vieressä',
  ),
  pl: setOf(
    'mężczyzna mężczyźni kobieta kobiety dziecko dzieci chłopiec dziewczynka dziewczyna pies psy kot koń ptak ludzie grupa samochód',
    'autobus pociąg ulica ulicy plaży woda trawie trawa stół dom stoi siedzi idzie bawi gra biegnie patrzy je śpi trzyma biały',
    'czarny czerwony niebieski zielony mały mała duży młody młoda stary',
  ),
  cs: setOf(
    'muž muži žena ženy dítě děti chlapec dívka holčička pes psi kočka kůň pták lidé skupina auto autobus vlak ulice ulici pláži',
    'voda trávě tráva stůl dům stojí sedí jde hraje běží dívá jí spí drží bílý černý červený modrý zelený malý malá velký mladý mladá',
    'starý hnědý vedle',
  ),
  sk: setOf(
    'muž muži žena ženy dieťa deti chlapec dievča dievčatko pes psy mačka kôň vták ľudia skupina auto autobus vlak ulica ulici pláži',
    'voda tráve tráva stôl dom stojí sedí ide hrá beží pozerá je spí drží biely čierny červený modrý zelený malý malá veľký mladý',
    'mladá starý hnedý vedľa',
  ),
  hu: setOf(
    'férfi férfiak nő nők gyerek gyerekek fiú lány kutya kutyák macska ló madár emberek ember csoport autó busz vonat utca utcán',
    'strandon víz fű fűben fűvön asztal ház áll ül megy játszik fut néz eszik alszik tart visel sétál fehér fekete piros kék zöld kis',
    'nagy fiatal öreg barna mellett áló',
  ),
  ro: setOf(
    'bărbat bărbați femeie femei copil copii băiat fată câine câini pisică cal pasăre oameni grup mașină autobuz tren stradă plajă',
    'apă iarbă masă casă stă merge joacă aleargă uită mănâncă doarme ține poartă alb negru roșu albastru verde mic mică mare tânăr',
    'tânără bătrân maro',
  ),
  tr: setOf(
    'adam erkek kadın çocuk çocuklar kız oğlan köpek köpekler kedi at kuş insanlar kişi grup araba otobüs tren sokak sokakta sahilde',
    'plajda su çimen çimenlerde masa ev duruyor oturuyor yürüyor oynuyor koşuyor bakıyor yiyor uyuyor tutuyor giyen duran oturan',
    'beyaz siyah kırmızı mavi yeşil küçük büyük genç yaşlı kahverengi yanında önünde',
  ),
  vi: setOf(
    'người đàn ông phụ nữ đứa trẻ cậu bé cô gái con chó mèo ngựa chim nhóm xe buýt tàu đường phố bãi biển nước cỏ bàn nhà đứng ngồi',
    'đi chơi chạy nhìn ăn ngủ cầm mặc trắng đen đỏ xanh nhỏ lớn trẻ già màu',
  ),
  id: setOf(
    'pria wanita laki orang anak perempuan anjing kucing kuda burung sekelompok mobil bus kereta jalan pantai air rumput meja rumah',
    'berdiri duduk berjalan bermain berlari melihat makan tidur memegang memakai putih hitam merah biru hijau kecil besar muda tua',
    'seekor cokelat samping depan dekat bawah',
  ),
  sw: setOf(
    'mwanamume mwanamke wanaume wanawake mtoto watoto mvulana msichana mbwa paka farasi ndege watu kikundi gari basi treni barabara',
    'barabarani ufuo ufukweni maji nyasi meza nyumba amesimama ameketi anatembea anacheza anakimbia anaangalia anakula analala',
    'amevaa nyeupe nyeusi nyekundu mdogo kubwa mtu karibu mbele chini kwenye',
  ),
  hr: setOf(
    'muškarac muškarci žena žene dijete djeca dječak djevojka djevojčica pas psi mačka konj ptica ljudi grupa skupina auto automobil',
    'autobus vlak ulica ulici plaži voda travi trava stol kuća stoji sjedi hoda igra trči gleda jede spava drži nosi bijeli crni',
    'crvenog plavi zeleni mali mala veliki mlada mladi stari smeđi pored ispred ispod',
  ),
  sl: setOf(
    'moški moška ženska ženske otrok otroci deček dekle deklica pes psi mačka konj ptica ljudje skupina avto avtobus vlak ulica ulici',
    'plaži voda travi trava miza hiša stoji sedi hodi igra teče gleda je spi drži nosi bel bela črn črna rdeč moder zelen majhen velik',
    'mlad mlada star poleg pred pod ob',
  ),
  fil: setOf(
    'lalaki babae bata batang aso pusa kabayo ibon tao mga grupo kotse tren kalye dagat dalampasigan tubig damo damuhan mesa bahay',
    'nakatayo nakaupo naglalakad naglalaro tumatakbo nakatingin kumakain natutulog hawak suot puti puting itim pula pulang asul',
    'maliit malaki matandang harap tabi ilalim',
  ),
  ca: setOf(
    'home homes dona dones nen nena nens noi noia gos gossos gat cavall ocell gent persones grup cotxe autobús tren carrer platja',
    'aigua herba gespa taula casa camp assegut asseguda dret seu juga camina corre mira menja dorm porta aguanta blanc negre vermell',
    'blau verd petit gran jove vell costat davant',
  ),
  et: setOf(
    'mees mehed naine naised laps lapsed poiss tüdruk koer koerad kass hobune lind inimesed rühm auto buss rong tänav tänaval rannas',
    'vesi muru murul rohus laud maja seisab istub kõnnib mängib jookseb vaatab sööb magab hoiab kannab valge must punane sinine',
    'roheline väike suur noor vana pruun kõrval all ees',
  ),
  lv: setOf(
    'vīrietis vīrieši sieviete sievietes bērns bērni zēns meitene suns suņi kaķis zirgs putns cilvēki grupa auto autobuss vilciens',
    'iela ielas ielu pludmalē ūdens zāle zālē galds māja stāv sēž iet spēlē spēlējas skrien skatās ēd guļ tur balts melns sarkans',
    'zils zaļš mazs maza liels jauns jauna vecs brūns',
  ),
  lt: setOf(
    'vyras vyrai moteris moterys vaikas vaikai berniukas mergaitė mergina šuo šunys katė arklys paukštis žmonės grupė automobilis',
    'autobusas traukinys gatvė gatvėje gatve paplūdimyje vanduo žolė žolėje stalas namas stovi sėdi eina žaidžia bėga žiūri valgo',
    'miega laiko baltas juodas juoda raudonas mėlynas žalias mažas maža didelis jaunas jauna senas rudas po',
  ),
  eu: setOf(
    'gizon gizona gizonak emakume emakumea haur haurra umea ume mutil mutiko neska txakur txakurra txakurrak katu zaldi txori jende',
    'talde auto autobus tren kale kalean kaletik hondartzan hondartza ur urtean belar belarrean mahai mahaian etxe etxea zutik',
    'eserita jolasten korrika begira jaten lo dabil daude dabiltza paseatzen irakurtzen zuri beltz gorri txiki handi gazte zahar',
  ),
  is: setOf(
    'maður menn kona konur barn börn strákur stelpa drengur hundur hundar köttur hestur fugl fólk hópur bíll strætó lest götu götuna',
    'götunni ströndinni strönd vatn grasinu gras borð borðinu hús húsið stendur situr gengur leikur leika hleypur horfir borðar sefur',
    'heldur les hvítur svartur rauður blár grænn lítill lítil stór ungur ung gamall brúnn',
  ),
  sq: setOf(
    'burrë burri grua gra fëmijë fëmijët djalë djali vajzë vajza qen mace kalë zog njerëz grup makinë autobus tren rrugë rrugën',
    'plazh plazhit ujë ujit bar tavolinë shtëpi shtëpisë ulur qëndron ecën luan vrapon shikon ha fle mban veshur bardhë zi zezë kuq',
    'kuqe blu gjelbër vogël madh ri re vjetër',
  ),
  cy: setOf(
    'dyn dynion menyw merched plentyn plant bachgen merch ferch ci cŵn cath ceffyl aderyn pobl grŵp car bws trên stryd traeth dŵr',
    'glaswellt bwrdd tŷ sefyll eistedd cerdded chwarae rhedeg edrych bwyta cysgu dal gwisgo gwyn du ddu coch glas gwyrdd bach fach',
    'mawr fawr ifanc hen brown blaen ymyl hyd',
  ),
  ga: setOf(
    'fear fir bean mná páiste páistí buachaill cailín madra madraí cat capall éan daoine grúpa carr bus traein sráid tsráid trá uisce',
    'féar fhéar bord mbord teach tí seasamh sheasamh suí shuí siúl súgradh imirt rith féachaint ithe codladh chodladh bán dubh dearg',
    'gorm glas beag mór óg sean donn',
  ),
  ru: setOf(
    'мужчина мужчины женщина женщины человек люди ребенок ребёнок дети мальчик девочка девушка собака собаки кошка лошадь птица группа',
    'машина автобус поезд улица улице пляже пляжу вода воды трава траве стол столом дом домом сидит стоит идет идёт играет бежит',
    'смотрит ест спит держит лежит белый белая черный чёрная красный синий зеленый маленький маленькая большой молодой молодая старый',
  ),
  uk: setOf(
    'чоловік чоловіки жінка жінки людина люди дитина діти хлопчик дівчинка дівчина собака собаки кіт кішка кінь птах група машина',
    'автобус потяг вулиця вулиці вулицею пляжі вода води трава траві стіл столом будинок сидить стоїть йде грає грається біжить',
    'дивиться їсть спить тримає лежить білий біла чорний червоний синій зелений маленький маленька великий молодий молода старий біля',
  ),
  bg: setOf(
    'мъж мъже жена жени човек хора дете деца момче момиче куче кучета котка кон птица група кола автобус влак улица улицата плаж плажа',
    'вода водата трева тревата маса масата къща къщата седи стои върви ходи играе тича гледа яде спи държи лежи бял бяла черен черна',
    'червен син зелен малък малко малка голям млад млада стар кафяво кафяв почива',
  ),
  ar: setOf(
    'رجل رجال امرأة نساء طفل أطفال ولد فتاة كلب كلاب قط قطة حصان طائر ناس أشخاص مجموعة سيارة حافلة قطار شارع الشارع الشاطئ شاطئ ماء',
    'الماء العشب عشب طاولة الطاولة منزل المنزل يجلس تجلس يقف تقف يمشي يلعب يركض ينظر يأكل ينام يحمل أبيض أسود أحمر أزرق صغير كبير',
    'بجانب تحت فوق',
  ),
  fa: setOf(
    'مرد زن مردی زنی کودک کودکان پسر دختر سگ گربه اسب پرنده مردم گروهی ماشین اتوبوس قطار خیابان ساحل آب چمن میز خانه نشسته ایستاده',
    'راه بازی می‌کند می‌دود می‌خورد دارد سفید سیاه قرمز آبی کوچک بزرگ جوان زیر جلوی نزدیک حال',
  ),
  ur: setOf(
    'مرد عورت بچہ بچے لڑکا لڑکی کتا بلی گھوڑا لوگ گاڑی بس سڑک ساحل پانی گھاس میز گھر بیٹھا کھڑا رہا رہی رہے سفید سیاہ سرخ',
  ),
  hi: setOf(
    'आदमी औरत महिला बच्चा बच्चे लड़का लड़की कुत्ता बिल्ली घोड़ा लोग सड़क पानी घास मेज घर बैठा बैठी खड़ा रहा रही रहे पास सामने नीचे सफेद काला लाल',
  ),
  mr: setOf(
    'माणूस पुरुष स्त्री महिला मुलगा मुलगी मुले कुत्रा मांजर घोडा लोक रस्त्यावर पाणी गवत गवतावर घर बसला बसलेला उभा असलेला पांढरा काळा लाल',
  ),
  ne: setOf(
    'मानिस पुरुष महिला बच्चा केटा केटी कुकुर बिरालो घोडा मानिसहरू सडकमा पानी घाँस घर बसेको उभिएको गर्दै सेतो कालो रातो',
  ),
  gl: setOf(
    'home muller neno nena can gato cabalo xente persoas coche autobús rúa praia auga herba mesa casa sentado branco negro vermello',
  ),
  af: setOf(
    'man vrou kind kinders seun meisie hond kat perd mense straat strand water gras tafel huis staan sit loop speel hardloop kyk eet',
  ),
}

/** Letters of languages that others do not have, or few others. */
export const OWN_LETTERS: Readonly<Record<string, string>> = {
  de: 'äöüß',
  fr: 'àâçéèêëîïôûùœ',
  es: 'áéíóúñ',
  it: 'àèéìòù',
  pt: 'áâãàçéêíóôõú',
  nl: 'ëï',
  sv: 'åäö',
  da: 'åæø',
  nb: 'åæø',
  fi: 'äö',
  pl: 'ąćęłńóśźż',
  cs: 'áčďéěíňóřšťúůýž',
  sk: 'áäčďéíĺľňóôŕšťúýž',
  hu: 'áéíóöőúüű',
  ro: 'ăâîșțşţ',
  tr: 'çğıöşü',
  vi: 'ăâđêôơưàáãèéìíòóõùúýạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ',
  hr: 'čćđšž',
  sl: 'čšž',
  ca: 'àçèéíïòóúü',
  et: 'äõöü',
  lv: 'āčēģīķļņšūž',
  lt: 'ąčęėįšųūž',
  is: 'áæðéíóöþúý',
  sq: 'çë',
  cy: 'âêîôûŵŷ',
  ga: 'áéíóú',
  gl: 'áéíñóú',
  ru: 'ёйщъыэ',
  uk: 'єіїґйщ',
  bg: 'йщъ',
  sr: 'јљњћђџ',
  mk: 'јљњѓќѕџ',
  be: 'ўіёыэй',
  kk: 'әғқңөұүһі',
  ar: 'يكةىأإؤئ',
  fa: 'پچژگیک',
  ur: 'ٹڈڑںےہھگچپ',
}
