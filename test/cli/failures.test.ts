import { existsSync, readdirSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/store/database.js'
import { cocoResults, manyCaptions, npyScores, vocabulary } from '../kit/coco.js'
import { importPark, PARK, workbench } from './kit.js'

const bench = workbench()
const { run, write, content, folder, path } = bench
let before: unknown

beforeAll(async () => {
  await importPark(bench, 'without systems')
  before = content()
  const [first, second] = PARK.annotations
  write('broken.json', '{"images": [}')
  write('cut.json', JSON.stringify(manyCaptions(2000)).slice(0, 300_000))
  write('twice.json', { ...PARK, annotations: [first, { ...second, id: first.id }] })
  write('tags.csv', vocabulary({ dog: 'NN', cat: 'NOUN' }))
  write('one.json', cocoResults({ 1: 'A dog.' }))
  write('unknown.json', cocoResults({ 9: 'A dog.' }))
  write('ids.json', [1, 2, 3, 4])
  write('columns.csv', vocabulary({ dog: 'NN', cat: 'NN' }))
  write(
    'nan.npy',
    npyScores([
      [0, 1],
      [0, Number.NaN],
      [0, 1],
      [0, 1],
    ]),
  )
  write('text.sqlite', 'This is no database, however long the text in it may be.')
})

describe('a failed import of a new database', () => {
  it.each([
    'captions broken.json --dataset new',
    'boxes broken.json --dataset new',
    'judgements broken.json --dataset new',
  ])('%s leaves no file', async (words) => {
    expect(await run(`import ${words} --database empty.sqlite`)).toMatchObject({ code: 1 })
    expect(readdirSync(folder).filter((name) => name.startsWith('empty.sqlite'))).toEqual([])
  })

  it('leaves it to another process that has opened it', async () => {
    const database = await openDatabase(path('shared.sqlite'), { removeEmpty: true })
    const second = await openDatabase(path('shared.sqlite'))
    await database.close()
    expect(existsSync(path('shared.sqlite'))).toBe(true)
    await second.close()
  })
})

/** All errors in files are tested in test/formats; these are one or two end-to-end cases for each command. */
describe('a failed import prints one line on stderr and does not change the database', () => {
  it.concurrent.each([
    ['captions absent.json --dataset new', 'absent.json: file not found'],
    [
      'captions broken.json --dataset new',
      'broken.json: images[0], byte 12: not JSON: expected valid JSON, found "}"',
    ],
    ['captions cut.json --dataset new', 'cut.json: annotations[2'],
    [
      'captions twice.json --dataset new',
      'twice.json: annotations[1].id: duplicate id: expected a unique id, found "1", first used at annotations[0]',
    ],
    [
      'captions park.json --dataset new --vocabulary tags.csv',
      'tags.csv: line 3, part_of_speech: unknown part of speech: expected one of NN, VB, JJ, DT, PRP, IN, OTHER, found "NOUN"',
    ],
    [
      'captions park.json --dataset new --captions-per-image 4',
      'captions per image: no image has this many captions: expected an integer from 1 to 3, found 4',
    ],
    [
      'captions park.json --dataset park',
      'dataset: a dataset of this name exists: expected a new name, found "park"',
    ],
    [
      'results one.json --dataset park --system new',
      'one.json: images are missing: expected all 4 images of the dataset, found 1, without 2, 3, 4',
    ],
    [
      'results unknown.json --dataset park --system new',
      'unknown.json: [0].image_id: unknown image: expected the id of an image of the dataset, found "9"',
    ],
    [
      'scores nan.npy --dataset park --system new',
      'nan.npy: an .npy file does not name its rows and columns: expected a vocabulary and a file of image ids',
    ],
    [
      'scores nan.npy --vocabulary columns.csv --image-ids ids.json --dataset park --system new',
      'nan.npy: row 1, column 1 (image 2, word "cat"): invalid score: expected a finite number, found NaN',
    ],
    [
      'captions park.json --dataset new --database text.sqlite',
      'text.sqlite: the file is not a valid Accord database: ',
    ],
  ])('import %s', async (command, message) => {
    const { code, stdout, stderr } = await run(`import ${command}`)
    const isUsage =
      /absent|--captions-per-image 4|--dataset park$|text\.sqlite/.test(command) &&
      !command.startsWith('results')
    expect({ code, stdout }).toEqual({ code: isUsage ? 2 : 1, stdout: '' })
    const lines = stderr.split('\n').filter((written) => written.startsWith('accord: '))
    expect(lines).toHaveLength(1)
    expect(lines[0].slice(0, 'accord: '.length + message.length)).toBe(`accord: ${message}`)
    expect(stderr.endsWith(`${lines[0]}\n`)).toBe(true)
    expect(content()).toEqual(before)
  })
})

/** The place, the name that was given, and the name that was probably meant. */
describe('a name that does not exist suggests the one that was meant', () => {
  it.concurrent.each([
    ['score park.json one.json --metrics cidder', '"cidder"; did you mean CIDEr?'],
    ['words --dataset Parc', '"Parc"; did you mean park?'],
    ['words --dataset elephants', '"elephants"'],
  ])('%s', async (command, end) => {
    const { code, stderr } = await run(command)
    expect(code).toBe(2)
    expect(stderr.trimEnd().split('\n').at(-1)?.endsWith(`, found ${end}`)).toBe(true)
  })
})
