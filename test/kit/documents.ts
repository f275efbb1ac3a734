import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFile } from '../../src/project.js'
import { type Outcome, runHere } from '../cli/kit.js'
import { parksFile } from './parks.js'
import { type Api, type Json, loadEvaluatedSeed, type World } from './seed.js'

/** Paths of the pages of the documentation, relative to the project. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  ...readdirSync(projectFile('docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

export const readDocument = (path: string): string => readFileSync(projectFile(path), 'utf8')

/**
 * Lines of shell blocks that the tests do not execute, and why. Every pattern must occur:
 * a test compares the list with the documents.
 */
export const NOT_EXECUTED: readonly { readonly line: RegExp; readonly why: string }[] = [
  {
    line: /^npm |^npx /,
    why: 'installs packages, or runs for minutes; test/slow/package.test.ts runs the package',
  },
  {
    line: /^accord (serve|worker)\b/,
    why: 'does not end; test/slow/serve.test.ts and worker.test.ts start them',
  },
  {
    line: /^accord (users|teams|login)\b/,
    why: 'reads a password, or needs a user; test/cli/users.test.ts runs them',
  },
  { line: /^sudo /, why: 'changes the machine: it installs a unit of systemd' },
  { line: /docker /, why: 'requires Docker' },
  { line: /postgres:/, why: 'requires a PostgreSQL server; test/store/copy.test.ts copies between both' },
  {
    line: /^upload=|^curl |^ {2}/,
    why: 'requires a server; test/slow/serve.test.ts and test/api/uploads.test.ts send files',
  },
  {
    line: /--(dataset|data) (coco|val2017|thumb|flickr\S*|pascal50s)\b/,
    why: 'requires data that are not part of the package',
  },
]

interface Block {
  readonly language: string
  readonly text: string
}

/** Fenced blocks of a document, in order. */
export function blocksOf(markdown: string): Block[] {
  return Array.from(markdown.matchAll(FENCE), ([, language, text]) => ({ language, text }))
}

const FENCE = /^```(\w*)\n(.*?)^```$/gms

/** Commands of a shell block: lines, joined where one ends with a backslash, without comments. */
export function commandsOf(block: string): string[] {
  return block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/\s+# .*$|^# .*$/, '').trimEnd())
    .filter((line) => line !== '')
}

/** Commands of all pages. */
export const commandsOfDocuments = (): string[] =>
  DOCUMENTS.flatMap((path) =>
    blocksOf(readDocument(path)).flatMap(({ language, text }) => (language === 'sh' ? commandsOf(text) : [])),
  )

export const reasonNotExecuted = (command: string) => NOT_EXECUTED.find(({ line }) => line.test(command))?.why

/** A folder with the bundled dataset as a database and as files, as the documents have it. */
export async function prepareFolder(world: World): Promise<string> {
  await loadEvaluatedSeed(world.accord)
  const folder = join(world.folder, 'documents')
  mkdirSync(folder)
  symlinkSync(world.location, join(folder, 'accord.sqlite'))
  // Their names and contents are those of the pages.
  const { code, stderr } = await runHere('demo', {}, folder)
  if (code !== 0) throw new Error(stderr)
  writeFileSync(join(folder, 'parks.csv'), parksFile(3))
  for (const name of readdirSync(projectFile('seed/languages')))
    writeFileSync(join(folder, name), readFileSync(projectFile(`seed/languages/${name}`)))
  writeFileSync(join(folder, 'captions.txt'), 'A brown dog runs on the beach.\n')
  writeFileSync(join(folder, 'clip.jsonl'), externalScores())
  for (const [part, scenes] of [SCENES.slice(0, 40), SCENES.slice(40, 80)].entries())
    writeFileSync(join(folder, `boxes_${part === 0 ? 'dev' : 'test'}.json`), JSON.stringify(boxesOf(scenes)))
  const described = SCENES.slice(40, 80).map(({ id, systems }) => ({ image_id: id, caption: systems.good }))
  writeFileSync(join(folder, 'captioner.json'), JSON.stringify(described))
  return folder
}

/** The bundled scenes as their files have them. */
const SCENES: readonly Json[] = readdirSync(projectFile('seed/scenes'))
  .sort()
  .flatMap((name) => JSON.parse(readFileSync(projectFile(`seed/scenes/${name}`), 'utf8')))

const plain = (caption: string) => caption.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')

/** Scores of all bundled captions, as another program would write them: here their numbers of words. */
function externalScores(): string {
  const folds = [1, 2, 3, 4, 5]
  const score = (caption: string) => Math.min(plain(caption).split(' ').length / 40, 2.5)
  return SCENES.flatMap(({ id: image_id, captions, systems }) => [
    ...folds.map((fold) => ({ image_id, fold, score: score(captions[fold - 1]) })),
    ...Object.entries<string>(systems).flatMap(([system, caption]) =>
      [undefined, ...folds].map((fold) => ({ image_id, system, fold, score: score(caption) })),
    ),
  ])
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
}

/** Images with boxes and human descriptions, in the format of `accord import boxes`. */
function boxesOf(scenes: readonly Json[]): object {
  return {
    images: scenes.map(({ id, width, height, objects }) => ({
      image_id: id,
      width,
      height,
      boxes: objects.map((object: Json) => ({ id: object.id, concept: object.category, bbox: object.box })),
    })),
    descriptions: scenes.flatMap(({ id, captions }) =>
      captions.map((caption: string, index: number) => ({ id: `${id} ${index}`, image_id: id, caption })),
    ),
  }
}

type RunAccord = (words: readonly string[]) => Promise<Outcome>

/**
 * Executes the commands and queries of a document in order, and puts their output where the document shows one: a block
 * `text` or `json` directly after a block `sh` or `graphql`.
 *
 * @param runAccord runs a command in the folder
 * @returns the document with the real output
 */
export async function execute(
  markdown: string,
  folder: string,
  api: Api,
  runAccord: RunAccord,
): Promise<string> {
  let output: string | undefined
  let position = 0
  let result = ''
  for (const match of markdown.matchAll(FENCE)) {
    const [whole, language, text] = match
    const between = markdown.slice(position, match.index)
    const isOutput = /^(text|json)$/.test(language) && between === '\n\n' && output !== undefined
    result += `${between}${isOutput ? `\`\`\`${language}\n${output}\`\`\`` : whole}`
    output = isOutput ? undefined : await outputOf(language, text, folder, api, runAccord)
    position = match.index + whole.length
  }
  return result + markdown.slice(position)
}

async function outputOf(
  language: string,
  text: string,
  folder: string,
  api: Api,
  runAccord: RunAccord,
): Promise<string | undefined> {
  if (language === 'graphql') return `${compact({ data: await api.ask(text) })}\n`
  if (language !== 'sh') return undefined
  let output: string | undefined
  for (const command of commandsOf(text))
    if (reasonNotExecuted(command) === undefined) output = await run(command, folder, runAccord)
  return output
}

/** Runs a command in a folder: `accord …`, whose output `| head -n N` shortens and `> FILE` writes. */
async function run(command: string, folder: string, runAccord: RunAccord): Promise<string> {
  const [, args, lines, file] = /^accord (.*?)(?: \| head -n (\d+))?(?: > (\S+))?$/.exec(command) ?? []
  if (args === undefined) throw new Error(`expected a command of accord, found: ${command}`)
  const words = Array.from(args.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word]) => quoted ?? word)
  const { code, stdout, stderr } = await runAccord(words)
  if (code !== 0) throw new Error(`${command}: exit code ${code}: ${stderr}`)
  if (file !== undefined) writeFileSync(join(folder, file), stdout)
  const shown = lines === undefined ? stdout : stdout.split('\n').slice(0, Number(lines)).join('\n')
  return `${shown.trimEnd()}\n`
}

/** JSON in which what fits stands in one line of 100 characters. */
function compact(value: Json, indent = ''): string {
  const line = JSON.stringify(value, null, 1)
    .replaceAll(/\n */g, ' ')
    .replaceAll(/\[ | \]/g, (text) => text.trim())
  if (typeof value !== 'object' || value === null || indent.length + line.length <= 100) return line
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((entry) => `${inner}${compact(entry, inner)}`)
    : Object.entries(value).map(([key, entry]) => `${inner}${JSON.stringify(key)}: ${compact(entry, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`
}
