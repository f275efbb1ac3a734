/**
 * Markup that models leave in captions: special tokens, the role of the speaker, Markdown, and a prompt that is repeated at the
 * start of the captions of a file. What people write is left alone: a sign that says `<stop>`, `5 * 3`, `2. Bundesliga`.
 */

/** Captions of a file in which a repeated prompt is looked for. */
export const PROMPT_SAMPLE = 1000

/** Fewer captions do not show that a start is a prompt. */
const MIN_CAPTIONS = 50

/** Share of the captions that start with a prompt. Many models begin .96 of theirs with "The image shows", which is none. */
const NEARLY_ALL = 0.98

/** `a picture of` is a prompt, `a man` is not. */
const MIN_PROMPT_WORDS = 3

/** Words of a caption in which a prompt is looked for. */
const MAX_PROMPT_WORDS = 200

/** A special token; the first group is the token where the name of the speaker follows. */
const TOKEN = new RegExp(
  [
    String.raw`(<\|(?:im_start|start_header_id)\|>|<start_of_turn>)\s*(?:assistant|model)\b`,
    String.raw`<\|[a-z0-9_]{1,40}\|>`,
    String.raw`<\/?s>|<(?:pad|unk|eos|bos|sos|eot|cls|sep|mask|image|extra_id_\d+|(?:start|end)_of_turn)>`,
    String.raw`^\s*<start>|<end>\s*$`,
    String.raw`\[(?:CLS|PAD|UNK|BOS|EOS|\/?INST)\]`,
  ].join('|'),
  'gi',
)

/** Special tokens one after the other, with the space around them. */
const TOKENS = new RegExp(String.raw`(?<!\s)\s*(?:(?:${TOKEN.source})\s*)+`, 'gi')

const ROLE = /^\s*(assistant|answer|response|(?:image )?(?:caption|description))\s*:\s*/i

const HEADING = /^[ \t]*(?:#[ \t]+(?=[\p{L}*_])|#{2,6}[ \t]+)/gmu
const BULLET = /^[ \t]*(?:[-*•][ \t]+)+(?=\S)/gm
const NUMBER = /^[ \t]*\d{1,2}[.)][ \t]+(?=\S)/gm
const BOLD = /(\*\*|__)(?=[^\s*_])([^\n]*?[^\s*_])\1/g
const ITALIC = /(?<![\p{L}\p{N}*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\p{L}\p{N}*])/gu
const UNDERLINED = /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu
const CODE = /(?<![\p{L}\p{N}`])`+(?=[^\s`])([^`\n]*[^\s`])`+(?![\p{L}\p{N}`])/gu

/**
 * What markup a caption has: special tokens as they are written, the role as `"Assistant:"`, `Markdown`, `the start "…"`. Empty
 * exactly if {@link stripMarkup} leaves the caption as it is.
 *
 * @param prompt words of {@link findRepeatedPrompt}
 */
export function findMarkup(text: string, prompt: readonly string[] = []): string[] {
  const found = new Set<string>()
  removeMarkup(text, prompt, (name) => found.add(name))
  return [...found]
}

/**
 * A caption without markup of models. A caption without any is returned as it is; nothing is left to remove.
 *
 * @param prompt words of {@link findRepeatedPrompt}
 */
export function stripMarkup(text: string, prompt: readonly string[] = []): string {
  return removeMarkup(text, prompt, () => {})
}

/**
 * The words of a prompt with which nearly all captions of a file start; empty if there is none. A prompt of sentences ends with
 * the last of them. Captions that are all the same have none, and so have those of languages without spaces.
 *
 * @param captions the first {@link PROMPT_SAMPLE} of the file
 */
export function findRepeatedPrompt(captions: readonly string[]): string[] {
  const all = captions.map(firstWords).filter((words) => words.length > 0)
  if (all.length < MIN_CAPTIONS) return []
  const isEnough = ({ length }: readonly unknown[]) => length >= NEARLY_ALL * all.length
  const prompt: string[] = []
  let agreeing = all
  while (prompt.length < MAX_PROMPT_WORDS) {
    const longer = agreeing.filter((words) => words.length > prompt.length)
    if (!isEnough(longer)) return []
    const next = mostFrequent(longer.map((words) => words[prompt.length]))
    agreeing = longer.filter((words) => words[prompt.length] === next)
    if (!isEnough(agreeing)) break
    prompt.push(next)
  }
  if (prompt.length < MIN_PROMPT_WORDS) return []
  const end = prompt.findLastIndex((word) => /[.?!:]$/.test(word))
  return end < 0 ? prompt : prompt.slice(0, end + 1)
}

const firstWords = (text: string) => stripMarkup(text).trim().split(/\s+/, MAX_PROMPT_WORDS).filter(Boolean)

function mostFrequent(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].reduce((one, other) => (other[1] > one[1] ? other : one))[0]
}

/** What all markup but a prompt has; most captions have none of it. */
const SIGN = /[<[:#*•_`]|^[ \t]*[-\d]/m

/** Removes markup until nothing is left of it: each step shortens the text. */
function removeMarkup(text: string, prompt: readonly string[], onFound: (name: string) => void): string {
  let before: string
  let after = text
  do {
    before = after
    const plain = SIGN.test(before)
      ? removeRoles(removeMarkdown(removeTokens(before, onFound), onFound), onFound)
      : before
    after = removePrompts(plain, prompt, onFound)
  } while (after !== before)
  return after
}

/** Maximum number of characters of a prompt that are shown. */
const MAX_SHOWN = 60

const shortened = (prompt: string) =>
  prompt.length > MAX_SHOWN ? `${prompt.slice(0, MAX_SHOWN - 1)}…` : prompt

function removePrompts(text: string, prompt: readonly string[], onFound: (name: string) => void): string {
  let plain = text
  for (let rest = afterPrompt(text, prompt); rest !== null; rest = afterPrompt(rest, prompt)) plain = rest
  if (plain !== text) onFound(`the start ${JSON.stringify(shortened(prompt.join(' ')))}`)
  return plain
}

/** Null if the caption does not start with the prompt, or is nothing else. */
function afterPrompt(caption: string, prompt: readonly string[]): string | null {
  if (prompt.length === 0) return null
  let rest = caption
  for (const word of prompt) {
    rest = rest.trimStart()
    if (!rest.startsWith(word)) return null
    rest = rest.slice(word.length)
  }
  return /^\s+\S/.test(rest) ? rest.trimStart() : null
}

function removeTokens(text: string, onFound: (name: string) => void): string {
  return text.replace(TOKENS, (tokens: string, ...groups) => {
    for (const [token, opening] of tokens.matchAll(TOKEN)) onFound((opening ?? token).trim())
    const offset = groups.at(-2) as number
    if (offset === 0 || offset + tokens.length === text.length) return ''
    return tokens.includes('\n') ? '\n' : ' '
  })
}

function removeRoles(text: string, onFound: (name: string) => void): string {
  let plain = text
  for (let role = ROLE.exec(plain); role !== null; role = ROLE.exec(plain)) {
    onFound(`"${role[1]}:"`)
    plain = plain.slice(role[0].length)
  }
  return plain
}

function removeMarkdown(text: string, onFound: (name: string) => void): string {
  const isList = (text.match(NUMBER)?.length ?? 0) > 1
  const unlisted = text
    .replace(HEADING, '')
    .replace(BULLET, '')
    .replace(NUMBER, (number) => (isList ? '' : number))
  const plain = [ITALIC, UNDERLINED, CODE].reduce(
    (marked, pattern) => marked.replace(pattern, '$1'),
    unlisted.replace(BOLD, '$2'),
  )
  if (plain !== text) onFound('Markdown')
  return plain
}
