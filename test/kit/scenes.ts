/**
 * Four images with three captions each. Their ids are not integers and not sorted, so that the order of object keys is that
 * of the images.
 */
export const HUMAN = {
  d: ['A dog runs on the grass.', 'The dog is running outside.', 'A brown dog plays in a park.'],
  b: ['Two people sit on a bench.', 'A man and a woman sit together.', 'People on a bench.'],
  c: ['A red bus stops in the city.', 'The bus drives down a street.', 'A bus with people in it.'],
  a: ['A cat sleeps on a couch.', 'The kitten is asleep on the sofa.', 'A small cat on a couch.'],
}

/** The captions of a system. */
export const GUESS = {
  d: 'A dog is running in the park.',
  b: 'A man sits on a bench with a woman.',
  c: 'A red bus drives down the street.',
  a: 'A cat sleeping on a sofa.',
}

/** What is known of images several times, under other ids: enough images for intervals. */
export const repeated = <Value>(
  byId: Readonly<Record<string, Value>>,
  times: number,
): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(byId).flatMap(([id, value]) =>
      Array.from({ length: times }, (_, time) => [`${id}${time}`, value] as const),
    ),
  )
