import { expect, it, test } from 'vitest'
import { functionWords } from '../../../src/core/text/language-words.js'
import { detectLanguage } from '../../../src/core/text/languages.js'
import { CAPTIONS_OF_LANGUAGES, HARD_CAPTIONS } from '../../kit/language-captions.js'

const languageOf = (captions: readonly string[]) => detectLanguage(captions).language

test.each([
  ['en', ['A man rides a bike down the street.', 'Two dogs are playing in the grass.']],
  ['de', ['Ein Mann fährt mit dem Rad.', 'Zwei Hunde spielen auf einer Wiese.']],
  ['fr', ['un chat court sur le sable', 'deux chiens dorment']],
  ['es', ['Un hombre monta en bicicleta por la calle.', 'Dos perros juegan con una pelota.']],
  ['it', ['Un uomo va in bicicletta sulla strada.', 'Due cani giocano nel prato con una palla.']],
  ['pt', ['Um homem anda de bicicleta na rua.', 'Dois cachorros brincam com uma bola.']],
  ['nl', ['Een man rijdt op een fiets.', 'Twee honden spelen in het gras.']],
  ['sv', ['En man cyklar på gatan.', 'Två hundar leker i gräset med en boll som är röd.']],
  ['da', ['En mand cykler på vejen.', 'To hunde leger i græsset med en bold, som er rød.']],
  ['nb', ['En mann sykler på veien.', 'To hunder leker i gresset med ei jente fra byen.']],
  ['fi', ['Mies istuu penkillä ja lukee.', 'Kaksi koiraa, jotka juoksevat, on pihalla.']],
  ['pl', ['Mężczyzna jedzie na rowerze.', 'Dwa psy bawią się piłką na trawie.']],
  ['cs', ['Muž jede na kole.', 'Dva psi si hrají na trávě, která je zelená.']],
  ['hu', ['Egy férfi biciklizik az utcán.', 'Két kutya játszik egy labda mellett.']],
  ['tr', ['Bir adam bisiklete biniyor.', 'İki köpek ve bir top.']],
  ['vi', ['Một người đàn ông đang đi xe đạp.', 'Hai con chó trên cỏ.']],
  ['id', ['Seorang pria dengan sepeda di jalan.', 'Dua anjing yang bermain di rumput.']],
  ['ru', ['Мужчина едет на велосипеде.', 'Две собаки играют с мячом.']],
  ['uk', ['Чоловік їде на велосипеді, який біля дому.', 'Дві собаки та м’яч.']],
  ['el', ['Ένας άνδρας με ποδήλατο.']],
  ['he', ['גבר רוכב על אופניים']],
  ['ar', ['رجل يركب دراجة في الشارع']],
  ['fa', ['مردی با دوچرخه در خیابان که سبز است']],
  ['hi', ['एक आदमी साइकिल पर है', 'दो कुत्ते घास में हैं']],
  ['zh', ['一个男人骑自行车']],
  ['ja', ['男が自転車に乗っている']],
  ['ko', ['한 남자가 자전거를 탄다']],
  ['th', ['ผู้ชายขี่จักรยาน']],
])('finds %s', (language, captions) => {
  expect(languageOf(captions)).toBe(language)
})

test.each([[['a b c', 'd e f']], [['']], [[]], [['123 !!!', '🐕']]])('finds none in %j', (captions) => {
  expect(languageOf(captions)).toBeNull()
})

it('takes no English for another language because of a few names or words', () => {
  expect(
    languageOf(['A Frito Lay delivery van parked in a lot.', 'Un chien de la mer is the name on a boat.']),
  ).toBe('en')
  expect(languageOf(['A sign that says 自行车 in the street.'])).toBe('en')
})

it('takes a few words in capitals for a name, and the letters of an unknown word for no language', () => {
  expect(languageOf(['La Casa'])).toBeNull()
  expect(languageOf(['la casa'])).not.toBeNull()
  expect(languageOf(['Žluťoučký'])).toBeNull()
  expect(languageOf(['Žluťoučký kůň stojí'])).toBe('cs')
})

it('takes German nouns, and words of titles, for no names', () => {
  expect(languageOf(['Der Hund', 'Ein Mann'])).toBe('de')
  expect(languageOf(['A Dog', 'A Man'])).toBe('en')
  expect(languageOf(['A Man Riding A Horse', 'Two Dogs Play In The Park'])).toBe('en')
})

const LANGUAGES = Object.entries(CAPTIONS_OF_LANGUAGES)

test.each(LANGUAGES)('finds %s in a hundred captions, in ten and in three', (language, captions) => {
  const { captionCount, languages, ...found } = detectLanguage(captions)
  expect(found).toEqual({ language })
  expect(captionCount).toBe(100)
  expect(languages[0].language).toBe(language)
  expect(languages[0].captionCount).toBeGreaterThanOrEqual(95)
  for (let start = 0; start < 10; start++) {
    expect(languageOf(captions.slice(start, start + 10))).toBe(language)
    expect(languageOf(captions.slice(start, start + 3))).toBe(language)
  }
})

it('finds most of them in one caption, rarely a wrong one, and never English', () => {
  const found = LANGUAGES.flatMap(([language, captions]) =>
    captions.slice(0, 10).map((caption) => ({ language, found: languageOf([caption]) })),
  )
  const shareOf = (is: (one: (typeof found)[number]) => boolean) => found.filter(is).length / found.length
  expect(shareOf((one) => one.found === one.language)).toBeGreaterThan(0.95)
  expect(shareOf((one) => one.found !== one.language && one.found !== null)).toBeLessThan(0.015)
  expect(shareOf((one) => one.language !== 'en' && one.found === 'en')).toBe(0)
})

test.each(HARD_CAPTIONS)('in %s finds %s', (_what, language, captions) => {
  expect(languageOf(captions)).toBe(language)
})

it('counts the captions of each language', () => {
  const of = (language: string, count: number) => CAPTIONS_OF_LANGUAGES[language].slice(0, count)
  expect(detectLanguage([...of('en', 60), ...of('de', 30), ...of('zh', 10), '123'])).toEqual({
    language: 'en',
    captionCount: 100,
    languages: [
      { language: 'en', captionCount: 60 },
      { language: 'de', captionCount: 30 },
      { language: 'zh', captionCount: 10 },
    ],
  })
})

it('reads only the first captions', () => {
  const german = Array.from({ length: 3000 }, () => 'Ein Mann mit einem Hund.')
  expect(languageOf([...Array.from({ length: 2048 }, () => 'A man with a dog.'), ...german])).toBe('en')
})

it('has function words of listed languages alone', () => {
  expect(functionWords('de-AT').has('und')).toBe(true)
  expect(functionWords('zh').size).toBe(0)
})
