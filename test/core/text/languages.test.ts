import { expect, it, test } from 'vitest'
import { detectLanguage, functionWords } from '../../../src/core/text/languages.js'

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
  expect(detectLanguage(captions)).toBe(language)
})

test.each([
  [['a b c', 'd e f']],
  [['']],
  [[]],
  [['123 !!!', '🐕']],
  [['dog', 'cat dog']],
  [["A child's hand, d'or"]],
])('finds none in %j', (captions) => {
  expect(detectLanguage(captions)).toBeNull()
})

it('takes no English for another language because of a few names or words', () => {
  expect(
    detectLanguage([
      'A Frito Lay delivery van parked in a lot.',
      'Un chien de la mer is the name on a boat.',
    ]),
  ).toBe('en')
  expect(detectLanguage(['A sign that says 自行车 in the street.'])).toBe('en')
})

it('reads only the first captions', () => {
  const german = Array.from({ length: 3000 }, () => 'Ein Mann mit einem Hund.')
  expect(detectLanguage([...Array.from({ length: 2048 }, () => 'A man with a dog.'), ...german])).toBe('en')
})

it('has function words of listed languages alone', () => {
  expect(functionWords('de-AT').has('und')).toBe(true)
  expect(functionWords('zh').size).toBe(0)
})
