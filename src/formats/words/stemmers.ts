import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Stemmers } from '../../core/metrics/resources.js'

/** The module of each language of Snowball in @orama/stemmers, which compiles Snowball 2 to JavaScript. */
const MODULES: Readonly<Record<string, string>> = {
  ar: 'arabic',
  hy: 'armenian',
  da: 'danish',
  nl: 'dutch',
  fi: 'finnish',
  fr: 'french',
  de: 'german',
  el: 'greek',
  hu: 'hungarian',
  id: 'indonesian',
  ga: 'irish',
  it: 'italian',
  lt: 'lithuanian',
  ne: 'nepali',
  nb: 'norwegian',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  es: 'spanish',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
}

const load = createRequire(import.meta.url)

const pathOf = (language: string) => `@orama/stemmers/${MODULES[language]}`

/** Snowball stemmers, loaded when a language needs one. */
export const stemmers: Stemmers = {
  name: (language) => {
    const module = MODULES[language]
    return module === undefined ? null : `Snowball-${module[0].toUpperCase()}${module.slice(1)}`
  },
  of: (language) => (load(pathOf(language)) as { readonly stemmer: (word: string) => string }).stemmer,
}

/** SHA-256 of the name and version of the package, in hexadecimal digits. */
export function hashStemmers(): string {
  const file = join(dirname(load.resolve(pathOf('de'))), '..', 'package.json')
  const { name, version } = JSON.parse(readFileSync(file, 'utf8'))
  return createHash('sha256').update(`${name} ${version}`).digest('hex')
}
