import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { outcomeOf, PROGRAM, workbench } from './kit.js'

const { run, write, path } = workbench()

const GRAPHS = [
  {
    caption: 'A brown dog runs on the beach.',
    objects: ['dog', 'beach'],
    attributes: [['dog', 'brown']],
    relations: [['dog', 'run on', 'beach']],
  },
  { caption: 'Very blue', objects: [], attributes: [], relations: [] },
]
const CAPTIONS = 'A brown dog runs on the beach.\r\n\nVery blue\n'

it('prints the scene graph of each line of a file and of the standard input, without a database', async () => {
  write('captions.txt', CAPTIONS)
  const child = spawn(process.execPath, [PROGRAM, 'parse'], { cwd: path('.'), stdio: 'pipe' })
  child.stdin.end(CAPTIONS)
  const outcomes = await Promise.all([run('parse captions.txt'), outcomeOf(child)])
  for (const { code, stdout, stderr } of outcomes) {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(GRAPHS)
  }
})

it('ends well when the reader of its output has read enough', async () => {
  write('many.txt', 'A brown dog runs on the beach.\n'.repeat(2000))
  const child = spawn(process.execPath, [PROGRAM, 'parse', 'many.txt'], { cwd: path('.'), stdio: 'pipe' })
  child.stdout.once('data', () => child.stdout.destroy())
  expect(await outcomeOf(child)).toMatchObject({ code: 0, stderr: '' })
})

it.each(['[{"image_id": 1, "caption": "A dog."}]', '{\n"1": "A dog."\n}'])(
  'abuse: JSON, %s',
  async (content) => {
    write('captions.json', content)
    expect(await run('parse captions.json')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'accord: captions.json: line 1: this is no caption: expected a caption on each line, found JSON\n',
    })
  },
)

it('abuse: a file that does not exist', async () => {
  expect(await run('parse missing.txt')).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr: 'accord: missing.txt: file not found\n',
  })
})
