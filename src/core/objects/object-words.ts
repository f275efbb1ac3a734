/**
 * Words that stand for the objects of COCO's 80 categories, of our own choice: names of the things, of their kinds, and of
 * people by age, sex and what they do. Words with another frequent meaning are left out ("bow", "sub", "mustang"). Plurals
 * follow from {@link pluralsOf}.
 */

/** The words of each object, by its name. */
export type ObjectWords = ReadonlyMap<string, readonly string[]>

/** The words of each category. Its name is the first. */
// biome-ignore format: a table
const WORDS: Readonly<Record<string, string>> = {
  person:
    'person, man, woman, boy, girl, child, kid, baby, infant, toddler, adult, teenager, guy, lady, gentleman, male, female, ' +
    'mother, father, mom, dad, parent, son, daughter, brother, sister, grandmother, grandfather, bride, groom, couple, crowd, ' +
    'player, batter, pitcher, catcher, umpire, referee, athlete, runner, skier, snowboarder, skateboarder, surfer, swimmer, ' +
    'rider, cyclist, bicyclist, biker, motorcyclist, driver, passenger, pedestrian, worker, chef, cook, waiter, waitress, ' +
    'policeman, officer, soldier, firefighter, farmer, student, teacher, doctor, tourist, shopper, customer, spectator, human',
  bicycle: 'bicycle, bike, tricycle, unicycle',
  car: 'car, automobile, van, minivan, suv, sedan, taxi, taxicab, cab, jeep, convertible, limousine, station wagon',
  motorcycle: 'motorcycle, motorbike, motor bike, motor cycle, moped, scooter, dirt bike',
  airplane: 'airplane, aeroplane, plane, air plane, airliner, jetliner, jet, aircraft, biplane, seaplane',
  bus: 'bus, minibus, double decker, double-decker, trolley bus',
  train: 'train, locomotive, tram, streetcar, subway car',
  truck: 'truck, lorry, pickup, pick-up, pickup truck, firetruck, fire truck, tow truck, dump truck, semi truck',
  boat:
    'boat, ship, sailboat, motorboat, speedboat, rowboat, canoe, kayak, yacht, ferry, raft, dinghy, gondola, tugboat, barge, catamaran',
  'traffic light': 'traffic light, traffic signal, stoplight, stop light, streetlight, street light',
  'fire hydrant': 'fire hydrant, hydrant, fireplug',
  'stop sign': 'stop sign',
  'parking meter': 'parking meter',
  bench: 'bench, park bench, pew',
  bird:
    'bird, seagull, gull, pigeon, dove, duck, goose, swan, parrot, owl, eagle, hawk, crow, sparrow, robin, pelican, heron, ' +
    'flamingo, peacock, ostrich, chicken, rooster, hen, turkey, penguin, hummingbird, parakeet, finch, woodpecker',
  cat: 'cat, kitten, kitty, tabby',
  dog: 'dog, puppy, pup, doggy, doggie, poodle, terrier, bulldog, dachshund, chihuahua, corgi, labrador, retriever, husky, beagle, pug',
  horse: 'horse, pony, foal, colt, mare, stallion',
  sheep: 'sheep, lamb, ewe, goat',
  cow: 'cow, cattle, calf, bull, ox, heifer, buffalo, bison',
  elephant: 'elephant',
  bear: 'bear, grizzly, polar bear, panda, bear cub',
  zebra: 'zebra',
  giraffe: 'giraffe',
  backpack: 'backpack, back pack, rucksack, knapsack',
  umbrella: 'umbrella, parasol',
  handbag: 'handbag, hand bag, purse, pocketbook, briefcase',
  tie: 'tie, necktie, neck tie, bow tie, bowtie',
  suitcase: 'suitcase, suit case, luggage',
  frisbee: 'frisbee, frisbie, flying disc',
  skis: 'skis, ski',
  snowboard: 'snowboard',
  'sports ball': 'sports ball, ball, baseball, basketball, football, soccer ball, tennis ball, volleyball, beach ball',
  kite: 'kite',
  'baseball bat': 'baseball bat, bat',
  'baseball glove': 'baseball glove, baseball mitt, catcher\'s mitt, mitt',
  skateboard: 'skateboard, skate board, longboard',
  surfboard: 'surfboard, surf board, boogie board, bodyboard, paddleboard',
  'tennis racket': 'tennis racket, tennis racquet, racket, racquet',
  bottle: 'bottle',
  'wine glass': 'wine glass, wineglass, champagne glass',
  cup: 'cup, mug, coffee cup, teacup',
  fork: 'fork',
  knife: 'knife',
  spoon: 'spoon, ladle',
  bowl: 'bowl',
  banana: 'banana',
  apple: 'apple',
  sandwich: 'sandwich, burger, hamburger, cheeseburger, panini',
  orange: 'orange, tangerine, mandarin, clementine',
  broccoli: 'broccoli, broccolini',
  carrot: 'carrot',
  'hot dog': 'hot dog, hotdog',
  pizza: 'pizza',
  donut: 'donut, doughnut',
  cake: 'cake, cupcake, cheesecake, birthday cake, wedding cake',
  chair: 'chair, armchair, stool, rocking chair',
  couch: 'couch, sofa, loveseat, love seat, settee, futon',
  'potted plant': 'potted plant, houseplant, house plant',
  bed: 'bed, bunk bed',
  'dining table': 'dining table, table, dinner table, kitchen table, desk',
  toilet: 'toilet, urinal, commode',
  tv: 'tv, t.v., television, monitor, flat screen',
  laptop: 'laptop, laptop computer, notebook computer, computer, macbook',
  mouse: 'mouse, computer mouse',
  remote: 'remote, remote control, wii remote',
  keyboard: 'keyboard',
  'cell phone': 'cell phone, cellphone, cellular phone, mobile phone, phone, smartphone, smart phone, telephone, iphone',
  microwave: 'microwave, microwave oven',
  oven: 'oven, stove, stovetop, stove top',
  toaster: 'toaster',
  sink: 'sink, wash basin, washbasin',
  refrigerator: 'refrigerator, fridge, freezer',
  book: 'book, textbook, novel',
  clock: 'clock, clock tower, alarm clock',
  vase: 'vase',
  scissors: 'scissors, shears',
  'teddy bear': 'teddy bear, teddy, stuffed bear, stuffed animal, teddybear',
  'hair drier': 'hair drier, hair dryer, hairdryer, blow dryer',
  toothbrush: 'toothbrush, tooth brush',
}

/** Our words of COCO's 80 categories. */
export const OBJECT_WORDS: ObjectWords = new Map(
  Object.entries(WORDS).map(([category, words]) => [category, words.split(', ')]),
)

/** Compounds in which a word stands for nothing, or for another object: of several that begin at a word the longest counts. */
// biome-ignore format: a table
export const OTHER_COMPOUNDS: Readonly<Record<string, string | null>> = {
  'train track': null, 'train station': null, 'bus stop': null, 'bus station': null, 'boat dock': null,
  'car seat': null, 'home plate': null, 'street sign': null, 'mouse pad': null, 'mousepad': null, 'table cloth': null,
  'bed sheet': null, 'bed spread': null, 'book shelf': null, 'book case': null, 'knife block': null,
  'bat man': null, 'sheep dog': 'dog', 'bull dog': 'dog', 'toilet seat': 'toilet', 'toilet paper': null,
  'toilet bowl': 'toilet', 'toilet tank': 'toilet', 'sink bowl': 'sink', 'tennis player': 'person',
  'baseball player': 'person', 'football player': 'person', 'basketball player': 'person', 'baseball game': null,
  'baseball field': null, 'baseball cap': null, 'baseball hat': null, 'baseball uniform': null, 'baseball team': null,
  'baseball diamond': null, 'baseball stadium': null, 'baseball park': null, 'football game': null, 'football field': null,
  'basketball court': null, 'orange juice': null, 'apple juice': null, 'carrot cake': 'cake', 'banana bread': null,
  'horse race': null, 'dog house': null, 'cat food': null, 'dog food': null, 'bird house': null, 'bird cage': null,
  'kite surfer': 'person', 'fire truck': 'truck', 'cow boy': 'person', 'chair lift': null, 'ski lift': null,
  'ski slope': null, 'ski resort': null, 'ski pole': null, 'surf board': 'surfboard', 'phone booth': null,
}

/** Words before the name of an animal or a vehicle that then stand for no person. */
export const QUALIFIERS: Readonly<Record<string, readonly string[]>> = {
  baby: ['bird', 'cat', 'dog', 'horse', 'sheep', 'cow', 'elephant', 'bear', 'zebra', 'giraffe'],
  adult: ['bird', 'cat', 'dog', 'horse', 'sheep', 'cow', 'elephant', 'bear', 'zebra', 'giraffe'],
  male: ['bird', 'cat', 'dog', 'horse', 'sheep', 'cow', 'elephant', 'bear', 'zebra', 'giraffe'],
  female: ['bird', 'cat', 'dog', 'horse', 'sheep', 'cow', 'elephant', 'bear', 'zebra', 'giraffe'],
  mother: ['bird', 'cat', 'dog', 'horse', 'sheep', 'cow', 'elephant', 'bear', 'zebra', 'giraffe'],
  passenger: ['airplane', 'train', 'bus', 'car', 'boat'],
}

/** Plurals that no rule makes. */
// biome-ignore format: a table
const IRREGULAR: Readonly<Record<string, readonly string[]>> = {
  person: ['people', 'persons'], man: ['men'], woman: ['women'], child: ['children'], gentleman: ['gentlemen'],
  policeman: ['policemen'], mouse: ['mice'], goose: ['geese'], sheep: ['sheep'], ox: ['oxen'], calf: ['calves'],
  knife: ['knives'], skis: ['skis'], scissors: ['scissors'], shears: ['shears'], cattle: ['cattle'], bison: ['bison'],
  buffalo: ['buffalo', 'buffaloes'], bus: ['buses', 'busses'], aircraft: ['aircraft'], luggage: ['luggage'],
  broccoli: ['broccoli'], ski: ['skis'], people: ['people'], foot: ['feet'],
}

/** The plurals of a noun, of a compound those of its last word. */
export function pluralsOf(noun: string): readonly string[] {
  const space = noun.lastIndexOf(' ')
  const [head, last] = [noun.slice(0, space + 1), noun.slice(space + 1)]
  if (Object.hasOwn(IRREGULAR, last)) return IRREGULAR[last].map((plural) => head + plural)
  if (/[^aeiou]y$/.test(last)) return [`${head}${last.slice(0, -1)}ies`]
  return [`${head}${last}${/(s|x|z|ch|sh)$/.test(last) ? 'es' : 's'}`]
}
