/**
 * Captions in many languages, written for the tests: in each, every one of ten subjects goes with every one of ten predicates, which
 * is a hundred captions.
 */
const PARTS: Readonly<Record<string, readonly [subjects: string, predicates: string]>> = {
  en: [
    'A man|A young woman|The little boy|A brown dog|A black cat|An old man|A tall girl|A white horse|The cook|A tired worker',
    'sits on a bench|runs along the beach|is playing in the grass|stands next to a red bus|sleeps under the table|looks at the camera|waits in front of the house|is eating a slice of pizza|walks down the street with an umbrella|rests near the water',
  ],
  de: [
    'Ein Mann|Eine junge Frau|Der kleine Junge|Ein brauner Hund|Eine schwarze Katze|Ein alter Herr|Ein großes Mädchen|Ein weißes Pferd|Der Koch|Ein müder Arbeiter',
    'sitzt auf einer Bank|läuft am Strand entlang|spielt im Gras|steht neben einem roten Bus|schläft unter dem Tisch|schaut in die Kamera|wartet vor dem Haus|isst ein Stück Pizza|geht mit einem Regenschirm die Straße entlang|ruht sich am Wasser aus',
  ],
  fr: [
    'Un homme|Une jeune femme|Le petit garçon|Un chien marron|Un chat noir|Un vieil homme|Une grande fille|Un cheval blanc|Le cuisinier|Un ouvrier fatigué',
    "est assis sur un banc|court le long de la plage|joue dans l'herbe|se tient à côté d'un bus rouge|dort sous la table|regarde la caméra|attend devant la maison|mange une part de pizza|marche dans la rue avec un parapluie|se repose au bord de l'eau",
  ],
  es: [
    'Un hombre|Una mujer joven|El niño pequeño|Un perro marrón|Un gato negro|Un anciano|Una chica alta|Un caballo blanco|El cocinero|Un trabajador cansado',
    'está sentado en un banco|corre por la playa|juega en la hierba|está junto a un autobús rojo|duerme debajo de la mesa|mira a la cámara|espera delante de la casa|come un trozo de pizza|camina por la calle con un paraguas|descansa cerca del agua',
  ],
  it: [
    'Un uomo|Una giovane donna|Il bambino|Un cane marrone|Un gatto nero|Un uomo anziano|Una ragazza alta|Un cavallo bianco|Il cuoco|Un operaio stanco',
    "è seduto su una panchina|corre lungo la spiaggia|gioca nell'erba|sta accanto a un autobus rosso|dorme sotto il tavolo|guarda la telecamera|aspetta davanti alla casa|mangia una fetta di pizza|cammina per la strada con un ombrello|si riposa vicino all'acqua",
  ],
  pt: [
    'Um homem|Uma mulher jovem|O menino pequeno|Um cachorro marrom|Um gato preto|Um homem velho|Uma menina alta|Um cavalo branco|O cozinheiro|Um trabalhador cansado',
    'está sentado em um banco|corre pela praia|brinca na grama|está ao lado de um ônibus vermelho|dorme debaixo da mesa|olha para a câmera|espera em frente à casa|come uma fatia de pizza|anda pela rua com um guarda-chuva|descansa perto da água',
  ],
  nl: [
    'Een man|Een jonge vrouw|De kleine jongen|Een bruine hond|Een zwarte kat|Een oude man|Een lang meisje|Een wit paard|De kok|Een vermoeide arbeider',
    'zit op een bankje|rent langs het strand|speelt in het gras|staat naast een rode bus|slaapt onder de tafel|kijkt naar de camera|wacht voor het huis|eet een stuk pizza|loopt door de straat met een paraplu|rust uit bij het water',
  ],
  sv: [
    'En man|En ung kvinna|Den lilla pojken|En brun hund|En svart katt|En gammal man|En lång flicka|En vit häst|Kocken|En trött arbetare',
    'sitter på en bänk|springer längs stranden|leker i gräset|står bredvid en röd buss|sover under bordet|tittar in i kameran|väntar framför huset|äter en bit pizza|går nerför gatan med ett paraply|vilar vid vattnet',
  ],
  da: [
    'En mand|En ung kvinde|Den lille dreng|En brun hund|En sort kat|En gammel mand|En høj pige|En hvid hest|Kokken|En træt arbejder',
    'sidder på en bænk|løber langs stranden|leger i græsset|står ved siden af en rød bus|sover under bordet|kigger ind i kameraet|venter foran huset|spiser et stykke pizza|går ned ad gaden med en paraply|hviler sig ved vandet',
  ],
  nb: [
    'En mann|En ung kvinne|Den lille gutten|En brun hund|En svart katt|En gammel mann|Ei høy jente|En hvit hest|Kokken|En sliten arbeider',
    'sitter på en benk|løper langs stranden|leker i gresset|står ved siden av en rød buss|sover under bordet|ser inn i kameraet|venter foran huset|spiser et stykke pizza|går nedover gata med en paraply|hviler seg ved vannet',
  ],
  fi: [
    'Mies|Nuori nainen|Pieni poika|Ruskea koira|Musta kissa|Vanha mies|Pitkä tyttö|Valkoinen hevonen|Kokki|Väsynyt työntekijä',
    'istuu penkillä|juoksee rannalla|leikkii nurmikolla|seisoo punaisen bussin vieressä|nukkuu pöydän alla|katsoo kameraan|odottaa talon edessä|syö palan pizzaa|kävelee kadulla sateenvarjon kanssa|lepää veden äärellä',
  ],
  pl: [
    'Mężczyzna|Młoda kobieta|Mały chłopiec|Brązowy pies|Czarny kot|Stary człowiek|Wysoka dziewczyna|Biały koń|Kucharz|Zmęczony robotnik',
    'siedzi na ławce|biegnie po plaży|bawi się na trawie|stoi obok czerwonego autobusu|śpi pod stołem|patrzy w kamerę|czeka przed domem|je kawałek pizzy|idzie ulicą z parasolem|odpoczywa nad wodą',
  ],
  cs: [
    'Muž|Mladá žena|Malý chlapec|Hnědý pes|Černá kočka|Starý pán|Vysoká dívka|Bílý kůň|Kuchař|Unavený dělník',
    'sedí na lavičce|běží po pláži|si hraje na trávě|stojí vedle červeného autobusu|spí pod stolem|se dívá do kamery|čeká před domem|jí kousek pizzy|jde po ulici s deštníkem|odpočívá u vody',
  ],
  sk: [
    'Muž|Mladá žena|Malý chlapec|Hnedý pes|Čierna mačka|Starý pán|Vysoké dievča|Biely kôň|Kuchár|Unavený robotník',
    'sedí na lavičke|beží po pláži|sa hrá na tráve|stojí vedľa červeného autobusu|spí pod stolom|sa pozerá do kamery|čaká pred domom|je kúsok pizze|ide po ulici s dáždnikom|odpočíva pri vode',
  ],
  hu: [
    'Egy férfi|Egy fiatal nő|A kisfiú|Egy barna kutya|Egy fekete macska|Egy öregember|Egy magas lány|Egy fehér ló|A szakács|Egy fáradt munkás',
    'ül egy padon|fut a tengerparton|játszik a fűben|áll egy piros busz mellett|alszik az asztal alatt|néz a kamerába|vár a ház előtt|eszik egy szelet pizzát|sétál az utcán egy esernyővel|pihen a víz mellett',
  ],
  ro: [
    'Un bărbat|O femeie tânără|Băiatul mic|Un câine maro|O pisică neagră|Un bătrân|O fată înaltă|Un cal alb|Bucătarul|Un muncitor obosit',
    'stă pe o bancă|aleargă pe plajă|se joacă în iarbă|stă lângă un autobuz roșu|doarme sub masă|se uită la cameră|așteaptă în fața casei|mănâncă o felie de pizza|merge pe stradă cu o umbrelă|se odihnește lângă apă',
  ],
  tr: [
    'Bir adam|Genç bir kadın|Küçük çocuk|Kahverengi bir köpek|Siyah bir kedi|Yaşlı bir adam|Uzun boylu bir kız|Beyaz bir at|Aşçı|Yorgun bir işçi',
    'bankta oturuyor|sahilde koşuyor|çimenlerde oynuyor|kırmızı bir otobüsün yanında duruyor|masanın altında uyuyor|kameraya bakıyor|evin önünde bekliyor|bir dilim pizza yiyor|elinde şemsiye ile sokakta yürüyor|suyun kenarında dinleniyor',
  ],
  vi: [
    'Một người đàn ông|Một phụ nữ trẻ|Cậu bé|Một con chó nâu|Một con mèo đen|Một ông lão|Một cô gái cao|Một con ngựa trắng|Người đầu bếp|Một công nhân mệt mỏi',
    'ngồi trên ghế dài|chạy dọc bãi biển|đang chơi trên cỏ|đứng cạnh một chiếc xe buýt màu đỏ|ngủ dưới gầm bàn|nhìn vào máy ảnh|chờ trước nhà|đang ăn một miếng pizza|đi trên đường với một chiếc ô|nghỉ ngơi gần mặt nước',
  ],
  id: [
    'Seorang pria|Seorang wanita muda|Anak laki-laki kecil|Seekor anjing cokelat|Seekor kucing hitam|Seorang kakek|Seorang gadis tinggi|Seekor kuda putih|Juru masak itu|Seorang pekerja yang lelah',
    'duduk di bangku|berlari di sepanjang pantai|sedang bermain di rumput|berdiri di samping bus merah|tidur di bawah meja|melihat ke kamera|menunggu di depan rumah|sedang makan sepotong pizza|berjalan di jalan dengan payung|beristirahat di dekat air',
  ],
  sw: [
    'Mwanamume|Mwanamke kijana|Mvulana mdogo|Mtoto wa kiume|Msichana mweusi|Mzee|Msichana mrefu|Mwalimu|Mpishi|Mfanyakazi aliyechoka',
    'ameketi kwenye benchi|anakimbia kando ya ufuo|anacheza katika nyasi|amesimama karibu na basi jekundu|analala chini ya meza|anaangalia kamera|anasubiri mbele ya nyumba|anakula kipande cha pizza|anatembea barabarani na mwavuli|anapumzika karibu na maji',
  ],
  hr: [
    'Muškarac|Mlada žena|Mali dječak|Smeđi pas|Crna mačka|Starac|Visoka djevojka|Bijeli konj|Kuhar|Umorni radnik',
    'sjedi na klupi|trči po plaži|igra se u travi|stoji pored crvenog autobusa|spava ispod stola|gleda u kameru|čeka ispred kuće|jede komad pizze|hoda ulicom s kišobranom|odmara se kraj vode',
  ],
  sl: [
    'Moški|Mlada ženska|Majhen deček|Rjav pes|Črna mačka|Star moški|Visoko dekle|Bel konj|Kuhar|Utrujen delavec',
    'sedi na klopi|teče po plaži|se igra na travi|stoji poleg rdečega avtobusa|spi pod mizo|gleda v kamero|čaka pred hišo|je kos pice|hodi po ulici z dežnikom|počiva ob vodi',
  ],
  fil: [
    'Ang lalaki|Ang dalaga|Ang batang lalaki|Ang kayumangging aso|Ang itim na pusa|Ang matandang lalaki|Ang matangkad na babae|Ang puting kabayo|Ang tagaluto|Ang pagod na manggagawa',
    'ay nakaupo sa bangko|ay tumatakbo sa dalampasigan|ay naglalaro sa damuhan|ay nakatayo sa tabi ng pulang bus|ay natutulog sa ilalim ng mesa|ay nakatingin sa kamera|ay naghihintay sa harap ng bahay|ay kumakain ng pizza|ay naglalakad sa kalye na may payong|ay nagpapahinga malapit sa tubig',
  ],
  ca: [
    'Un home|Una dona jove|El nen petit|Un gos marró|Un gat negre|Un home gran|Una noia alta|Un cavall blanc|El cuiner|Un treballador cansat',
    "seu en un banc|corre per la platja|juga a l'herba|està al costat d'un autobús vermell|dorm sota la taula|mira la càmera|espera davant de la casa|menja un tros de pizza|camina pel carrer amb un paraigua|descansa prop de l'aigua",
  ],
  et: [
    'Mees|Noor naine|Väike poiss|Pruun koer|Must kass|Vana mees|Pikk tüdruk|Valge hobune|Kokk|Väsinud tööline',
    'istub pingil|jookseb mööda randa|mängib murul|seisab punase bussi kõrval|magab laua all|vaatab kaamerasse|ootab maja ees|sööb pitsalõiku|kõnnib vihmavarjuga mööda tänavat|puhkab vee ääres',
  ],
  lv: [
    'Vīrietis|Jauna sieviete|Mazs zēns|Brūns suns|Melns kaķis|Vecs vīrs|Gara meitene|Balts zirgs|Pavārs|Noguris strādnieks',
    'sēž uz soliņa|skrien gar pludmali|spēlējas zālē|stāv blakus sarkanam autobusam|guļ zem galda|skatās kamerā|gaida pie mājas|ēd picas gabalu|iet pa ielu ar lietussargu|atpūšas pie ūdens',
  ],
  lt: [
    'Vyras|Jauna moteris|Mažas berniukas|Rudas šuo|Juoda katė|Senas vyras|Aukšta mergina|Baltas arklys|Virėjas|Pavargęs darbininkas',
    'sėdi ant suoliuko|bėga paplūdimiu|žaidžia žolėje|stovi šalia raudono autobuso|miega po stalu|žiūri į kamerą|laukia prie namo|valgo picos gabalėlį|eina gatve su skėčiu|ilsisi prie vandens',
  ],
  eu: [
    'Gizon bat|Emakume gazte bat|Mutiko txikia|Txakur marroi bat|Katu beltz bat|Agure bat|Neska altu bat|Zaldi zuri bat|Sukaldaria|Langile nekatu bat',
    'bankuan eserita dago|hondartzan korrika dabil|belarrean jolasten ari da|autobus gorri baten ondoan dago|mahaiaren azpian lo dago|kamerari begira dago|etxearen aurrean zain dago|pizza zati bat jaten ari da|kalean dabil aterki batekin|ur ondoan atseden hartzen ari da',
  ],
  is: [
    'Maður|Ung kona|Litli strákurinn|Brúnn hundur|Svartur köttur|Gamall maður|Há stelpa|Hvítur hestur|Kokkurinn|Þreyttur verkamaður',
    'situr á bekk|hleypur eftir ströndinni|leikur sér í grasinu|stendur við hliðina á rauðum strætó|sefur undir borðinu|horfir í myndavélina|bíður fyrir framan húsið|borðar sneið af pizzu|gengur niður götuna með regnhlíf|hvílir sig við vatnið',
  ],
  sq: [
    'Një burrë|Një grua e re|Djali i vogël|Një qen kafe|Një mace e zezë|Një plak|Një vajzë e gjatë|Një kalë i bardhë|Kuzhinieri|Një punëtor i lodhur',
    'është ulur në një stol|vrapon përgjatë plazhit|po luan në bar|qëndron pranë një autobusi të kuq|fle nën tavolinë|shikon kamerën|pret para shtëpisë|po ha një copë pice|ecën në rrugë me një çadër|pushon pranë ujit',
  ],
  cy: [
    "Mae dyn|Mae menyw ifanc|Mae'r bachgen bach|Mae ci brown|Mae cath ddu|Mae hen ddyn|Mae merch dal|Mae ceffyl gwyn|Mae'r cogydd|Mae gweithiwr blinedig",
    'yn eistedd ar fainc|yn rhedeg ar hyd y traeth|yn chwarae yn y glaswellt|yn sefyll wrth ymyl bws coch|yn cysgu o dan y bwrdd|yn edrych ar y camera|yn aros o flaen y tŷ|yn bwyta darn o bitsa|yn cerdded i lawr y stryd gydag ymbarél|yn gorffwys ger y dŵr',
  ],
  ga: [
    'Tá fear|Tá bean óg|Tá an buachaill beag|Tá madra donn|Tá cat dubh|Tá seanfhear|Tá cailín ard|Tá capall bán|Tá an cócaire|Tá oibrí tuirseach',
    'ina shuí ar bhinse|ag rith cois trá|ag súgradh san fhéar|ina sheasamh in aice le bus dearg|ina chodladh faoin mbord|ag féachaint ar an gceamara|ag fanacht os comhair an tí|ag ithe píosa píotsa|ag siúl síos an tsráid le scáth fearthainne|ag ligean a scíthe in aice leis an uisce',
  ],
  ru: [
    'Мужчина|Молодая женщина|Маленький мальчик|Коричневая собака|Чёрная кошка|Старик|Высокая девушка|Белая лошадь|Повар|Усталый рабочий',
    'сидит на скамейке|бежит по пляжу|играет в траве|стоит рядом с красным автобусом|спит под столом|смотрит в камеру|ждёт перед домом|ест кусок пиццы|идёт по улице с зонтом|отдыхает у воды',
  ],
  uk: [
    'Чоловік|Молода жінка|Маленький хлопчик|Коричневий собака|Чорний кіт|Старий|Висока дівчина|Білий кінь|Кухар|Втомлений робітник',
    'сидить на лавці|біжить пляжем|грається в траві|стоїть біля червоного автобуса|спить під столом|дивиться в камеру|чекає перед будинком|їсть шматок піци|йде вулицею з парасолькою|відпочиває біля води',
  ],
  bg: [
    'Мъж|Млада жена|Малкото момче|Кафяво куче|Черна котка|Старец|Високо момиче|Бял кон|Готвачът|Уморен работник',
    'седи на пейка|тича по плажа|играе в тревата|стои до червен автобус|спи под масата|гледа към камерата|чака пред къщата|яде парче пица|върви по улицата с чадър|почива до водата',
  ],
  ar: [
    'رجل|شاب|الولد الصغير|كلب بني|قط أسود|رجل عجوز|ولد طويل|حصان أبيض|الطباخ|عامل متعب',
    'يجلس على مقعد|يركض على طول الشاطئ|يلعب في العشب|يقف بجانب حافلة حمراء|ينام تحت الطاولة|ينظر إلى الكاميرا|ينتظر أمام المنزل|يأكل قطعة من البيتزا|يمشي في الشارع مع مظلة|يستريح بالقرب من الماء',
  ],
  fa: [
    'یک مرد|یک زن جوان|پسر کوچک|یک سگ قهوه‌ای|یک گربه سیاه|یک پیرمرد|یک دختر بلندقد|یک اسب سفید|آشپز|یک کارگر خسته',
    'روی نیمکت نشسته است|در ساحل می‌دود|در چمن بازی می‌کند|کنار یک اتوبوس قرمز ایستاده است|زیر میز خوابیده است|به دوربین نگاه می‌کند|جلوی خانه منتظر است|یک تکه پیتزا می‌خورد|با چتر در خیابان راه می‌رود|نزدیک آب استراحت می‌کند',
  ],
  hi: [
    'एक आदमी|एक जवान लड़का|छोटा लड़का|एक भूरा कुत्ता|एक काला बैल|एक बूढ़ा आदमी|एक लंबा लड़का|एक सफेद घोड़ा|रसोइया|एक थका हुआ मजदूर',
    'बेंच पर बैठा है|समुद्र तट पर दौड़ रहा है|घास में खेल रहा है|लाल बस के पास खड़ा है|मेज के नीचे सो रहा है|कैमरे की ओर देख रहा है|घर के सामने इंतजार कर रहा है|पिज्जा का एक टुकड़ा खा रहा है|छाते के साथ सड़क पर चल रहा है|पानी के पास आराम कर रहा है',
  ],
  pa: [
    'ਇੱਕ ਆਦਮੀ|ਇੱਕ ਨੌਜਵਾਨ|ਛੋਟਾ ਮੁੰਡਾ|ਇੱਕ ਭੂਰਾ ਕੁੱਤਾ|ਇੱਕ ਕਾਲਾ ਬਲਦ|ਇੱਕ ਬੁੱਢਾ ਆਦਮੀ|ਇੱਕ ਲੰਮਾ ਮੁੰਡਾ|ਇੱਕ ਚਿੱਟਾ ਘੋੜਾ|ਰਸੋਈਆ|ਇੱਕ ਥੱਕਿਆ ਮਜ਼ਦੂਰ',
    'ਬੈਂਚ ਉੱਤੇ ਬੈਠਾ ਹੈ|ਸਮੁੰਦਰ ਦੇ ਕੰਢੇ ਦੌੜ ਰਿਹਾ ਹੈ|ਘਾਹ ਵਿੱਚ ਖੇਡ ਰਿਹਾ ਹੈ|ਲਾਲ ਬੱਸ ਦੇ ਕੋਲ ਖੜ੍ਹਾ ਹੈ|ਮੇਜ਼ ਦੇ ਹੇਠਾਂ ਸੌਂ ਰਿਹਾ ਹੈ|ਕੈਮਰੇ ਵੱਲ ਦੇਖ ਰਿਹਾ ਹੈ|ਘਰ ਦੇ ਸਾਹਮਣੇ ਉਡੀਕ ਕਰ ਰਿਹਾ ਹੈ|ਪੀਜ਼ਾ ਦਾ ਟੁਕੜਾ ਖਾ ਰਿਹਾ ਹੈ|ਛਤਰੀ ਲੈ ਕੇ ਸੜਕ ਤੇ ਤੁਰ ਰਿਹਾ ਹੈ|ਪਾਣੀ ਦੇ ਨੇੜੇ ਆਰਾਮ ਕਰ ਰਿਹਾ ਹੈ',
  ],
  or: [
    'ଜଣେ ଲୋକ|ଜଣେ ଯୁବତୀ|ଛୋଟ ପିଲା|ଗୋଟିଏ ବାଦାମୀ କୁକୁର|ଗୋଟିଏ କଳା ବିଲେଇ|ଜଣେ ବୁଢ଼ା|ଜଣେ ଡେଙ୍ଗା ଝିଅ|ଗୋଟିଏ ଧଳା ଘୋଡ଼ା|ରୋଷେୟା|ଜଣେ କ୍ଳାନ୍ତ ଶ୍ରମିକ',
    'ବେଞ୍ଚରେ ବସିଛି|ବେଳାଭୂମିରେ ଦୌଡୁଛି|ଘାସରେ ଖେଳୁଛି|ଲାଲ ବସ ପାଖରେ ଠିଆ ହୋଇଛି|ଟେବୁଲ ତଳେ ଶୋଇଛି|କ୍ୟାମେରାକୁ ଦେଖୁଛି|ଘର ଆଗରେ ଅପେକ୍ଷା କରୁଛି|ପିଜା ଖାଉଛି|ଛତା ଧରି ରାସ୍ତାରେ ଚାଲୁଛି|ପାଣି ପାଖରେ ବିଶ୍ରାମ ନେଉଛି',
  ],
  zh: [
    '一个男人|一位年轻女子|小男孩|一只棕色的狗|一只黑猫|一位老人|一个高个子女孩|一匹白马|厨师|一个疲惫的工人',
    '坐在长椅上|沿着海滩奔跑|在草地上玩耍|站在红色公共汽车旁边|睡在桌子下面|看着镜头|在房子前面等待|正在吃一片披萨|打着伞走在街上|在水边休息',
  ],
  ja: [
    '男性が|若い女性が|小さな男の子が|茶色の犬が|黒い猫が|老人が|背の高い女の子が|白い馬が|料理人が|疲れた労働者が',
    'ベンチに座っている|海岸沿いを走っている|草の上で遊んでいる|赤いバスの隣に立っている|テーブルの下で寝ている|カメラを見ている|家の前で待っている|ピザを食べている|傘をさして通りを歩いている|水辺で休んでいる',
  ],
  ko: [
    '한 남자가|젊은 여자가|어린 소년이|갈색 개가|검은 고양이가|한 노인이|키 큰 소녀가|흰 말이|요리사가|지친 노동자가',
    '벤치에 앉아 있다|해변을 따라 달린다|잔디밭에서 놀고 있다|빨간 버스 옆에 서 있다|탁자 아래에서 자고 있다|카메라를 보고 있다|집 앞에서 기다린다|피자 한 조각을 먹고 있다|우산을 쓰고 거리를 걷는다|물가에서 쉬고 있다',
  ],
}

const WITHOUT_SPACES = ['zh', 'ja']

/** A hundred captions in each language, by its tag; the first ten have different subjects and predicates. */
export const CAPTIONS_OF_LANGUAGES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(PARTS).map(([language, parts]) => {
    const [subjects, predicates] = parts.map((text) => text.split('|'))
    const space = WITHOUT_SPACES.includes(language) ? '' : ' '
    const captions = Array.from({ length: subjects.length * predicates.length }, (_, index) => {
      const subject = index % subjects.length
      const predicate = (subject + Math.floor(index / subjects.length)) % predicates.length
      return `${subjects[subject]}${space}${predicates[predicate]}.`
    })
    return [language, captions]
  }),
)

/** Captions whose language is not the one of most of their words: what they are of, their language, null for none, the captions. */
export const HARD_CAPTIONS: readonly (readonly [
  what: string,
  language: string | null,
  captions: readonly string[],
])[] = [
  [
    'English with Spanish names of places',
    'en',
    ['Las Vegas sign at night', 'El Paso street', 'San Jose sharks', 'Los Angeles skyline', 'La Jolla beach'],
  ],
  [
    'English with French names',
    'en',
    [
      'The Eiffel Tower in Paris',
      'Place de la Concorde at night',
      'A street sign that says Rue de Rivoli',
      'A boat on the Seine',
    ],
  ],
  [
    'English with German names',
    'en',
    ['A sign for Der Spiegel on a wall', 'The Bahnhof in Frankfurt am Main', 'a BMW and a Mercedes'],
  ],
  [
    'Hindi in Latin letters',
    null,
    [
      'ek aadmi bench par baitha hai',
      'ek kutta ghaas par daud raha hai',
      'do bachche paani ke paas khel rahe hain',
      'ladki ghar ke saamne khadi hai',
    ],
  ],
  [
    'Arabic in Latin letters',
    null,
    ['rajul yajlis ala maqad', 'kalb yarkud fi al hadiqa', 'tifl yalab bil kura', 'mraa tamshi fi al shari'],
  ],
  [
    'Russian in Latin letters',
    null,
    [
      'muzhchina sidit na skameyke',
      'sobaka bezhit po plyazhu',
      'devochka igraet v trave',
      'chelovek zhdyot pered domom',
    ],
  ],
  [
    'Chinese in Latin letters',
    null,
    ['yi ge nan ren zuo zai chang yi shang', 'yi zhi gou zai cao di shang pao', 'xiao hai zai shui bian wan'],
  ],
  ['names alone', null, ['Taj Mahal, Agra', 'Machu Picchu', 'Golden Gate, San Francisco', 'Colosseo, Roma']],
  ['international nouns', null, ['pizza', 'taxi hotel', 'radio', 'bar']],
]
