import * as animals from './animals.js'
import type { Box, Pen } from './pen.js'
import * as people from './people.js'
import * as places from './places.js'
import * as things from './things.js'
import * as vehicles from './vehicles.js'

/** An object of a scene. */
export interface SceneBox extends Box {
  readonly externalId: string
  /** What it is, such as `traffic light`. */
  readonly label: string
  readonly attributes: readonly string[]
}

export type Painter = (pen: Pen) => void

/** How a kind of object is drawn, and where it stands among the others: what is higher covers what is lower. */
export interface Kind {
  readonly paint: Painter
  readonly level: Level
}

/** Sky and walls; mountains and houses; grounds; trees and fences; things and people; plates and bowls; what is worn, held or contained. */
export enum Level {
  Backdrop,
  Far,
  Ground,
  Standing,
  Thing,
  Holder,
  Held,
}

const kinds = new Map<string, Kind>()

const add = (level: Level, painters: Readonly<Record<string, Painter>>): void => {
  for (const [names, paint] of Object.entries(painters)) {
    for (const name of names.split(' ')) kinds.set(name, { paint, level })
  }
}

const { quadruped, bird } = animals
const beast = (kind: animals.Beast) => (pen: Pen) => quadruped(pen, kind)
const fowl = (kind: animals.Fowl) => (pen: Pen) => bird(pen, kind)
const person = (figure: people.Figure) => (pen: Pen) => people.person(pen, figure)
const { ground } = places
const { ball, fruit, heap, stick, rope } = things

add(Level.Backdrop, {
  sky: places.sky,
  wall: places.wall,
  mist: ground('#dfe5e8'),
  curtain: things.curtain,
  aquarium: places.water,
})

add(Level.Far, {
  'mountain castle_hill': places.mountain,
  hill: places.hill,
  'building skyscraper': places.building,
  'house cabin shed': places.house,
  shop: places.shop,
  stall: places.shop,
  barn: places.barn,
  tower: places.tower,
  lighthouse: places.lighthouse,
  church: places.church,
  bridge: places.bridge,
  cloud: places.cloud,
  sun: places.sun,
  moon: places.moon,
  smoke: places.smoke,
  window: things.window,
  roof: ground('#9c5a48'),
  crane: stick('#e0a03c'),
})

add(Level.Ground, {
  'ocean lake water river pond swimming_pool wave': places.water,
  'grass lawn': places.grass,
  field: places.grass,
  'sand beach': ground('#ead9b0'),
  'snow ice': ground('#f1f5f8'),
  'street road': places.street,
  sidewalk: places.pavement,
  path: ground('#d3bd98'),
  floor: places.floor,
  'stage platform ramp': places.floor,
  crosswalk: places.crosswalk,
  'rug mat': things.cloth,
  railroad_track: places.railroad,
  pier: places.pier,
  stairs: things.stairs,
  hole: (pen) => pen.oval(0.5, 0.5, 0.5, 0.45, '#5b4636'),
})

add(Level.Standing, {
  'tree plant': places.tree,
  christmas_tree: places.christmasTree,
  bush: places.bush,
  fence: places.fence,
  rock: places.rock,
  fireplace: things.fireplace,
  bookshelf: things.shelf,
  shelf: things.shelf,
  'cabinet filing_cabinet': things.cabinet,
  refrigerator: things.refrigerator,
  'stove oven': things.stove,
  washing_machine: things.machine,
  door: things.door,
  mirror: things.mirror,
  'picture painting poster map': things.picture,
  blackboard: things.blackboard,
  sofa: things.sofa,
  armchair: things.sofa,
  'bed crib': things.bed,
  bathtub: things.bathtub,
  toilet: things.toilet,
  sink: things.sink,
  shower_curtain: things.curtain,
  windowsill: ground('#e9e3d6'),
  tent: places.tent,
  fountain: places.fountain,
  castle: places.castle,
  statue: things.statue,
  slide: things.slide,
  swing: things.swing,
  seesaw: stick('#c8493c'),
  'carousel luggage_carousel': things.drum,
  trampoline: things.drum,
  hay: ground('#dcc07a'),
  awning: places.shop,
  piano: things.piano,
  'bench seat pew': things.bench,
  'chair highchair': things.chair,
  stool: things.stool,
  pole: stick('#8b8f96'),
  streetlight: things.streetlight,
  parking_meter: things.sign,
  net: things.net,
  'goal fishnet': things.net,
  basketball_hoop: things.hoop,
  hammock: things.hammock,
  crowd: people.crowd,
  easel: things.easel,
})

add(Level.Thing, {
  'man police_officer': person({ hair: 'short', head: 0.15 }),
  person: person({ hair: 'short', head: 0.16 }),
  woman: person({ hair: 'long', head: 0.15, hasSkirt: true }),
  boy: person({ hair: 'short', head: 0.21 }),
  girl: person({ hair: 'long', head: 0.21, hasSkirt: true }),
  child: person({ hair: 'short', head: 0.22 }),
  baby: people.baby,
  dog: beast({
    color: '#a9794c',
    legs: 0.34,
    neck: 0.3,
    head: 0.15,
    ears: 'hanging',
    tail: 'thin',
    sits: true,
  }),
  cat: beast({
    color: '#c98b4a',
    legs: 0.3,
    neck: 0.24,
    head: 0.15,
    ears: 'pointed',
    tail: 'thin',
    muzzle: 0.35,
    sits: true,
  }),
  horse: beast({
    color: '#8d5a3a',
    legs: 0.44,
    neck: 0.4,
    head: 0.11,
    ears: 'pointed',
    tail: 'hair',
    mane: true,
    muzzle: 0.85,
  }),
  zebra: beast({
    color: '#f0ede6',
    legs: 0.44,
    neck: 0.38,
    head: 0.11,
    ears: 'pointed',
    tail: 'hair',
    mane: true,
    stripes: true,
    muzzle: 0.8,
  }),
  cow: beast({
    color: '#f0ede6',
    legs: 0.38,
    neck: 0.22,
    head: 0.13,
    ears: 'round',
    tail: 'thin',
    patches: true,
    horns: true,
    muzzle: 0.75,
  }),
  sheep: beast({
    color: '#d9d2c2',
    legs: 0.32,
    neck: 0.26,
    head: 0.12,
    ears: 'hanging',
    tail: 'short',
    fleece: true,
  }),
  goat: beast({
    color: '#cfc3ae',
    legs: 0.36,
    neck: 0.28,
    head: 0.12,
    ears: 'pointed',
    tail: 'short',
    horns: true,
  }),
  elephant: beast({
    color: '#8f9299',
    legs: 0.38,
    neck: 0.16,
    head: 0.17,
    ears: 'large',
    tail: 'thin',
    trunk: true,
  }),
  giraffe: beast({
    color: '#ddb25e',
    legs: 0.42,
    neck: 0.52,
    head: 0.11,
    ears: 'pointed',
    tail: 'hair',
    spots: true,
  }),
  camel: beast({
    color: '#c49a64',
    legs: 0.42,
    neck: 0.36,
    head: 0.11,
    ears: 'round',
    tail: 'thin',
    humps: 2,
  }),
  polar_bear: beast({
    color: '#f1efe8',
    legs: 0.3,
    neck: 0.24,
    head: 0.15,
    ears: 'round',
    tail: 'short',
    sits: true,
  }),
  rabbit: beast({
    color: '#c3ab8d',
    legs: 0.2,
    neck: 0.3,
    head: 0.18,
    ears: 'long',
    tail: 'short',
    muzzle: 0.4,
    sits: true,
  }),
  squirrel: beast({
    color: '#a8653c',
    legs: 0.24,
    neck: 0.28,
    head: 0.17,
    ears: 'pointed',
    tail: 'bushy',
    muzzle: 0.4,
    sits: true,
  }),
  mouse_animal: beast({ color: '#a39c94', legs: 0.2, neck: 0.2, head: 0.16, ears: 'round', tail: 'thin' }),
  'bird pigeon': fowl({ color: '#8f9aa6' }),
  gull: fowl({ color: '#f3f3f0', wing: '#b9c0c7' }),
  parrot: fowl({ color: '#5f9a5b', wing: '#c8493c' }),
  hen: fowl({ color: '#b5693c', comb: true }),
  duck: fowl({ color: '#b08555', isSwimmer: true }),
  swan: fowl({ color: '#f6f3ec', isSwimmer: true, neck: 1 }),
  penguin: animals.penguin,
  owl: animals.owl,
  fish: animals.fish,
  crab: animals.crab,
  bee: animals.bee,
  'car jeep': vehicles.car,
  van: vehicles.bus,
  bus: vehicles.bus,
  truck: vehicles.truck,
  fire_engine: vehicles.fireEngine,
  tractor: vehicles.tractor,
  'train streetcar': vehicles.train,
  bicycle: vehicles.bicycle,
  'motorcycle sidecar': vehicles.motorcycle,
  'cart wheelbarrow shopping_cart stroller plow': vehicles.cart,
  airplane: vehicles.airplane,
  'hot-air_balloon': vehicles.balloon,
  'boat canoe kayak': vehicles.boat,
  sailboat: vehicles.sailboat,
  'ship ferry': vehicles.ship,
  lamp: things.lamp,
  counter: things.counter,
  'table coffee_table workbench dinner_table': things.table,
  desk: things.desk,
  snowman: things.snowman,
  sled: things.sled,
  'flower bouquet': places.flower,
  houseplant: places.houseplant,
  fire: places.fire,
  campfire: places.fire,
  beehive: things.crate,
  'box toolbox': things.box,
  crate: things.crate,
  gift: things.gift,
  suitcase: things.suitcase,
  'bucket wastebasket watering_can': things.bucket,
  'basket laundry': things.basket,
  fireplug: things.hydrant,
  traffic_light: things.trafficLight,
  sign: things.sign,
  umbrella: things.umbrella,
  ladder: things.ladder,
  barbecue: things.stove,
  'television_receiver monitor computer': things.screen,
  drum: things.drum,
  bass_fiddle: things.guitar,
  sewing_machine: things.machine,
  vacuum: things.bag,
  pumpkin: fruit('#e08a3c'),
  globe: things.globe,
  telescope: things.telescope,
  'board surfboard snowboard': things.board,
  plan: things.paper,
  branch: rope('#7d5a3c'),
})

add(Level.Holder, {
  'saucer plate tray palette': things.plate,
  bowl: things.bowl,
  cutting_board: things.surface,
})

add(Level.Held, {
  'pillow teddy_pillow': things.pillow,
  'blanket napkin towel': things.cloth,
  teddy: things.teddy,
  'plaything block': things.block,
  'cup mug': things.cup,
  'glass milk': things.glass,
  wineglass: things.wineglass,
  'bottle soap': things.bottle,
  jar: things.jar,
  test_tube: things.glass,
  pot: things.pot,
  frying_pan: things.pan,
  teakettle: things.kettle,
  vase: things.vase,
  faucet: things.faucet,
  microwave: things.microwave,
  knife: things.knife,
  fork: things.fork,
  spoon: things.spoon,
  'rolling_pin tongs comb toothbrush brush paintbrush pencil chalk wrench tool flashlight': stick('#b08555'),
  saw: things.knife,
  hammer: things.hammer,
  shovel: things.shovel,
  scissors: things.scissors,
  'apple tomato': fruit('#c8493c'),
  orange: fruit('#e08a3c'),
  banana: things.banana,
  carrot: things.carrot,
  watermelon: things.watermelon,
  'bread croissant toast': things.bread,
  cake: things.cake,
  pizza: things.pizza,
  doughnut: things.doughnut,
  'cookie pancake': things.cookie,
  'sandwich hamburger': things.sandwich,
  cheese: things.cheese,
  egg: things.egg,
  salad: heap('#7da761', '#5f9a5b', '#c8493c'),
  french_fries: heap('#e9c04b', '#d9ab4a'),
  spaghetti: heap('#ecd79a', '#e0c47c', '#c8593c'),
  'nut peanut': heap('#b08555', '#c39b66'),
  'bacon sausage': stick('#b5503f'),
  chicken: heap('#cf9a58', '#b5793f'),
  dough: heap('#f0e0c0', '#e6d3ae'),
  soup: things.bowl,
  'book notebook': things.book,
  'newspaper sheet_music ticket diploma card': things.paper,
  laptop: things.laptop,
  'keyboard remote_control': things.keys,
  mouse: things.egg,
  'cellular_telephone telephone': things.phone,
  'clock alarm_clock scale': things.clock,
  metronome: things.metronome,
  camera: things.camera,
  microphone: things.microphone,
  microscope: things.microscope,
  stethoscope: rope('#4c4a52'),
  flag: things.flag,
  kite: things.kite,
  balloon: things.toyBalloon,
  candle: things.candle,
  'bag handbag': things.bag,
  backpack: things.backpack,
  'rope leash hose fire_hose': rope('#c39b66'),
  fishing_rod: stick('#7d6248'),
  'boat_paddle oar': stick('#b08555', { color: '#b08555', size: 0.2 }),
  'ski ski_pole cane bow': stick('#4f82b8'),
  hockey_stick: stick('#b08555', { color: '#4c4a52', size: 0.12 }),
  golf_club: stick('#8b8f96', { color: '#4c4a52', size: 0.12 }),
  'bat baseball_bat': stick('#b08555'),
  racket: things.racket,
  ball: ball('#c8493c'),
  tennis_ball: ball('#cfdc5a'),
  soccer_ball: ball('#f6f3ec', '#34343a'),
  basketball: ball('#d9773c', '#4c3a2e'),
  volleyball: ball('#f3e9d2'),
  'baseball golf_ball': ball('#f6f3ec', '#c8493c'),
  football: ball('#8d5a3a', '#f6f3ec'),
  frisbee: things.frisbee,
  skateboard: things.skateboard,
  puck: things.frisbee,
  home_plate: ground('#f6f3ec'),
  cone: places.tent,
  'ice_skate shoe sneaker boot sock': things.shoe,
  'glove baseball_glove boxing_glove': things.glove,
  hat: things.hat,
  cap: things.cap,
  helmet: things.helmet,
  'sunglasses goggles spectacles': things.glasses,
  'vest coat jacket suit sweater lab_coat raincoat overall academic_gown': things.shirt,
  'dress cape veil': things.dress,
  apron: things.apron,
  scarf: things.scarf,
  bow_tie: things.tie,
  mask: things.mask,
  'guitar violin': things.guitar,
  'tuba trombone saxophone': things.horn,
  chessboard: things.block,
  'wheel tire steering_wheel': things.wheel,
  sponge: things.block,
  leaf: places.leaf,
  star: places.star,
  key: stick('#d9ab4a', { color: '#d9ab4a', size: 0.3 }),
  hand_blower: things.handBlower,
  pinata: places.star,
})

/** Furniture that is a surface below the things that lie in its middle. */
const SURFACE: Kind = { paint: things.surface, level: Level.Ground }

const SURFACES = /^(table|coffee_table|workbench|desk|counter)$/

/**
 * How an object is drawn among others. What no painter knows is a thing of its colour.
 *
 * @param others all objects of the scene
 */
export function kindOf(box: SceneBox, others: readonly SceneBox[]): Kind {
  const lemma = lemmaOf(box)
  if (SURFACES.test(lemma) && others.some((other) => liesOn(other, box))) return SURFACE
  const kind = kinds.get(lemma) ?? { paint: things.thing, level: Level.Held }
  const isShown =
    kind.level === Level.Thing && others.some((other) => other !== box && looksOutOf(box, other))
  return isShown ? { ...kind, level: Level.Holder } : kind
}

const VEHICLES = /^(car|jeep|van|bus|truck|train)$/
const FURNITURE = /^(counter|sink)$/
const PETS = /^(cat|dog|rabbit|bird|parrot|hen)$/

/** Whether something is at the window of a vehicle, or a pet lies on furniture, which would cover it. */
function looksOutOf(box: SceneBox, other: SceneBox): boolean {
  const [lemma, name] = [lemmaOf(box), lemmaOf(other)]
  const isBeside = box.x < other.x || box.x + box.width > other.x + other.width
  const bottom = (box.y + box.height - other.y) / other.height
  if (isBeside || box.width * box.height > 0.4 * other.width * other.height) return false
  if (VEHICLES.test(name)) return !VEHICLES.test(lemma) && box.y > other.y && bottom < 0.8
  return FURNITURE.test(name) && PETS.test(lemma) && bottom > 0 && bottom < 0.8
}

export const lemmaOf = ({ label }: SceneBox): string => label.replaceAll(' ', '_')

/** Whether a small thing lies in the middle of a surface, and does not stand on its edge. */
function liesOn(thing: SceneBox, surface: SceneBox): boolean {
  if (kinds.get(lemmaOf(thing))?.level !== Level.Held) return false
  const [x, bottom] = [thing.x + thing.width / 2, thing.y + thing.height]
  const depth = (bottom - surface.y) / surface.height
  return x > surface.x && x < surface.x + surface.width && depth > 0.5 && depth < 1.05
}
