import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runHere } from '../cli/kit.js'

/** Path of a file of `test/fixtures/villages`: images that do not exist, with sentences of our own. */
export const villagesFile = (name: string) =>
  fileURLToPath(new URL(`../fixtures/villages/${name}`, import.meta.url))

let content: Promise<Buffer> | undefined

/**
 * Writes a SQLite file with rows in most tables: dataset `villages` with boxes, the systems `captioner`, `parrot` and
 * `detector`, their scores, and human tables of 2 and 4 references; dataset `boxes-only`.
 */
export async function writeVillages(file: string): Promise<void> {
  content ??= createVillages()
  writeFileSync(file, await content)
}

const COMMANDS = [
  `import captions ${villagesFile('captions.json')} --dataset villages --vocabulary ${villagesFile('vocabulary.csv')}`,
  `import boxes ${villagesFile('boxes.json')} --dataset villages`,
  `import boxes ${villagesFile('boxes.json')} --dataset boxes-only`,
  `import results ${villagesFile('captioner.json')} --dataset villages --system captioner`,
  `import descriptions ${villagesFile('captioner-boxes.json')} --dataset villages --system captioner`,
  `import results ${villagesFile('parrot.json')} --dataset villages --system parrot --allow-missing`,
  `import scores ${villagesFile('detector.jsonl')} --dataset villages --system detector`,
  'evaluate --dataset villages --system captioner',
  'evaluate --dataset villages --system parrot --metrics BLEU-4 CIDEr-D',
  'agreement --dataset villages',
  'agreement --dataset villages --references 2',
]

async function createVillages(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'accord-villages-'))
  try {
    const file = join(folder, 'villages.sqlite')
    for (const command of COMMANDS) {
      const { code, stderr } = await runHere(`${command} --database ${file}`)
      if (code !== 0) throw new Error(`accord ${command}: ${stderr}`)
    }
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
