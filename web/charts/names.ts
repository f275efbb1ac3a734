/** Pixels of a letter of the names in a chart, on average. */
export const LETTER = 7.2

/** Pixels by which a capital is wider. */
const CAPITAL = 2

/** Pixels that the longest of names takes, at most. */
export const roomOf = (names: readonly string[]): number =>
  Math.max(0, ...names.map((name) => LETTER * name.length + CAPITAL * (name.match(/\p{Lu}/gu)?.length ?? 0)))

/** How many letters have room in a number of pixels, at least 3. A room of whole letters loses none to rounding. */
export const lettersIn = (pixels: number): number => Math.max(3, Math.floor(pixels / LETTER + 1e-6))

/**
 * Names of at most a number of letters that differ where the names do. Names that are too long lose their middle, or what
 * they share where their ends do not tell them apart.
 *
 * @param length at least 1
 */
export function shortNames(names: readonly string[], length: number): ReadonlyMap<string, string> {
  const distinct = [...new Set(names)]
  const isLong = (name: string) => [...name].length > length
  const long = distinct.filter(isLong)
  if (long.length === 0) return new Map(distinct.map((name) => [name, name]))
  const cuts = [
    (name: string) => withoutMiddle(name, length),
    withoutShared(long, length),
    // The end alone, as far as there is room.
    (name: string) => (length < 2 ? '…' : `…${[...name].slice(1 - length).join('')}`),
  ]
  const trials = cuts.map((cut) => distinct.map((name) => (isLong(name) ? cut(name) : name)))
  const counts = trials.map((trial) => new Set(trial).size)
  const best = trials[counts.indexOf(Math.max(...counts))]
  return new Map(distinct.map((name, index) => [name, best[index]]))
}

function withoutMiddle(name: string, length: number): string {
  const letters = [...name]
  if (letters.length <= length) return name
  const kept = Math.max(0, length - 1)
  const head = Math.ceil(kept / 2)
  return `${letters.slice(0, head).join('')}…${head < kept ? letters.slice(head - kept).join('') : ''}`
}

/** Cuts the beginning and the end that all names share, and of what is still too long the middle. */
function withoutShared(names: readonly string[], length: number): (name: string) => string {
  const letters = names.map((name) => [...name])
  const [first = [], ...others] = letters
  const shortest = Math.min(...letters.map((one) => one.length))
  let start = 0
  while (start < shortest - 1 && others.every((other) => other[start] === first[start])) start++
  let end = 0
  while (end < shortest - start - 1 && others.every((other) => other.at(-1 - end) === first.at(-1 - end)))
    end++
  return (name) => {
    const all = [...name]
    const rest = all.slice(start, all.length - end).join('')
    const marks = Number(start > 0) + Number(end > 0)
    return `${start > 0 ? '…' : ''}${withoutMiddle(rest, length - marks)}${end > 0 ? '…' : ''}`
  }
}
