/** What files of captions are called beside what they are of. */
const GENERIC =
  /^(?:captions?|annotations?|results?|predictions?|preds?|outputs?|refs?|references?|generated|coco|val|test|system)$/i

/** What files of captions of people are called. */
const OF_PEOPLE = /^(?:refs?|references?|gts?|gold|truth|groundtruth|humans?|people|annotations?)$/i

/** Whether the name of a file says that its captions are of people: `refs.json`, `ground_truth.csv`. */
export const namesPeople = (fileName: string): boolean =>
  stemOf(fileName)
    .split(/[^a-z]+/i)
    .some((part) => OF_PEOPLE.test(part))

/** The name of a file without folders and extensions. */
export const stemOf = (fileName: string): string =>
  fileName.replace(/^.*[/\\]/, '').replace(/(.)(\.(json|jsonl|csv|tsv|txt|npy|zip|gz))+$/i, '$1')

/** The parts of a name, with what separates each from the one before. */
const partsOf = (name: string): string[] => name.split(/(?=[_\s.])/)

const textOf = (part: string): string => part.replace(/^[_\s.]/, '')

/** A name for the dataset that a file of human captions makes: `val2017` for `captions_val2017.json`. */
export function datasetNameOf(fileName: string): string {
  const stem = stemOf(fileName)
  return joined(partsOf(stem).filter((part) => !GENERIC.test(textOf(part)))) || stem
}

/**
 * Names for the systems whose captions files hold: what is left without what all files share with that of the human captions, and
 * without words such as `results`: `gat` and `wu-2016` for `captions_val2017_gat_results.json` and
 * `captions_val2017_wu-2016_results.json` beside `captions_val2017.json`.
 */
export function systemNamesOf(fileNames: readonly string[], captions: string | undefined): string[] {
  const known = new Set(captions === undefined ? [] : partsOf(stemOf(captions)).map(textOf))
  const names = fileNames.map((fileName) => {
    const parts = partsOf(stemOf(fileName)).filter((part) => !GENERIC.test(textOf(part)))
    return joined(parts.filter((part) => !known.has(textOf(part)))) || joined(parts) || stemOf(fileName)
  })
  const used = new Map<string, number>()
  return names.map((name) => {
    const count = (used.get(name) ?? 0) + 1
    used.set(name, count)
    return count === 1 ? name : `${name}-${count}`
  })
}

const joined = (parts: readonly string[]): string => parts.join('').replace(/^[_\s.]+/, '')
