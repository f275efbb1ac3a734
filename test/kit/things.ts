export const THINGS = ['dog', 'cat', 'bus', 'horse', 'bench', 'tree', 'boat', 'plane', 'clock', 'kite']
const PLACES = ['on the grass', 'in a city', 'near the water', 'under a blue sky']

/** Forty images of things in places, as `dog-0`, each with three different captions. */
export const THING_CAPTIONS: Readonly<Record<string, string[]>> = Object.fromEntries(
  THINGS.flatMap((thing) =>
    PLACES.map((place, index) => [
      `${thing}-${index}`,
      [`A ${thing} ${place}.`, `The old ${thing} stands ${place}.`, `There is a ${thing} ${place} today.`],
    ]),
  ),
)

/** The name of the thing of an image. */
export const thingOf = (id: string) => id.split('-')[0]
