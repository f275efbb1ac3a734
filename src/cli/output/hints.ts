import { DEFAULT_DATABASE } from '../../config.js'
import { shellWord } from '../../shared/shell-word.js'
import { printable } from './formats.js'

/** Options of the current command that a suggested command needs as well. */
export interface HintOptions {
  readonly database: string
  readonly meteorData?: string
  readonly embeddings?: string
  readonly documentFrequencies?: string
}

/** A command that can be pasted into a shell, with the options of the current one. */
export function commandLine(
  words: readonly string[],
  { database, meteorData, embeddings, documentFrequencies }: HintOptions,
): string {
  const options = [
    ...optionUnlessDefault('--database', withoutPassword(database), withoutPassword(inheritedDatabase())),
    ...optionUnlessDefault('--meteor-data', meteorData, process.env.ACCORD_METEOR_DATA),
    ...optionUnlessDefault('--embeddings', embeddings, process.env.ACCORD_EMBEDDINGS),
    ...optionUnlessDefault('--document-frequencies', documentFrequencies, undefined),
  ]
  return [PROGRAM, ...[...words, ...options].map((word) => shellWord(printable(word)))].join(' ')
}

/** A name as a value of an option that takes a list. */
export function inList(name: string): string {
  return name.replaceAll(',', '\\,')
}

/** A sentence in a note, followed by a command that is not wrapped. */
export function suggest(sentence: string, words: readonly string[], options: HintOptions): string[] {
  return [sentence, `  ${commandLine(words, options)}`]
}

/** In a checkout, `accord` is usually a script of the package. */
const PROGRAM = process.env.npm_lifecycle_event === 'accord' ? 'npm run --silent accord --' : 'accord'

function inheritedDatabase(): string {
  return process.env.ACCORD_DATABASE ?? DEFAULT_DATABASE
}

function optionUnlessDefault(
  flag: string,
  value: string | undefined,
  inherited: string | undefined,
): string[] {
  return value === undefined || value === inherited ? [] : [flag, value]
}

/** Output ends up in logs. PostgreSQL reads passwords from PGPASSWORD or a password file as well. */
function withoutPassword(location: string): string {
  return location.replace(/^(postgres(?:ql)?:\/\/[^/@:]*):[^/@]*@/, '$1@')
}
