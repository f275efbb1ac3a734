import { beforeAll, describe, expect, it } from 'vitest'
import { cocoCaptions, cocoResults, npyScores, vocabulary } from '../kit/coco.js'
import { type Outcome, PARK, PARK_RESULTS, PARK_SCORES, PARK_VOCABULARY, workbench } from './kit.js'

const { run, write, dump, path } = workbench()
let park: Outcome

beforeAll(async () => {
  write('park.json', PARK)
  write('words.csv', PARK_VOCABULARY)
  park = await run('import captions park.json --dataset park --vocabulary words.csv')
})

describe('import captions', () => {
  it('reports the dataset on stdout, and nothing on stderr where that is no terminal', () => {
    expect(park.code).toBe(0)
    expect(park.stdout).toBe(
      [
        'Imported dataset park',
        '  images    4 (1 with fewer than 3 captions, excluded from the statistics)',
        '  captions  11; the statistics use the first 3 per image (K = 3)',
        '  words     19; 4 of them in the vocabulary',
        '  language  en; tokenizer ptb-3.4.1',
        '',
      ].join('\n'),
    )
    expect(park.stderr).toBe('')
  })

  it.concurrent('accepts K, gzip, an unusual name and another database; it reports the most used words', async () => {
    write('park.json.gz', PARK)
    const name = "Tom's park"
    const flags = ['--dataset', name, '--captions-per-image', '2', '--database', 'other.sqlite']
    const imported = await run(['import', 'captions', 'park.json.gz', ...flags])
    expect(imported.code).toBe(0)
    expect(imported.stdout).toContain('  images    4\n')
    expect(imported.stdout).toContain('(K = 2)')
    const words = await run(['words', '--dataset', name, '--top', '1', '--format', 'csv'], {
      ACCORD_DATABASE: 'other.sqlite',
    })
    expect(words.stdout.split('\n')[1]).toMatch(/^a,DT,/)
  })

  it('says how many images of a folder of pictures are found', async () => {
    write('00000001.jpg', 'picture')
    const flags = ['--dataset', 'pictured', '--images', path('.'), '--database', 'pictured.sqlite']
    const imported = await run(['import', 'captions', 'park.json', ...flags])
    expect(imported.stderr + imported.stdout).toContain('\n  pictures  1 of 4 images\n')
    const refused = await run([
      'import',
      'captions',
      'park.json',
      '--dataset',
      'other',
      '--images',
      'nowhere',
    ])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('nowhere: the folder of pictures cannot be read')
  })

  it.concurrent('stores and counts captions in any script', async () => {
    const captions = ['Ein Hund 🐕 läuft', 'كلب يجري', 'cafe\u0301 \u0007 dog', 'dog '.repeat(2_000)]
    write('scripts.json', cocoCaptions({ 1: captions, 2: captions }))
    const database = '--database scripts.sqlite'
    const imported = await run(`import captions scripts.json --dataset scripts ${database}`)
    expect(imported).toMatchObject({ code: 0 })
    expect(imported.stdout).toContain('  captions  8; the statistics use')
    const stored = (dump('scripts.sqlite').caption as unknown[][]).flat()
    expect(stored.filter((cell) => captions.includes(String(cell)))).toEqual([...captions, ...captions])
    const { stdout } = await run(`words --dataset scripts --format json ${database}`)
    const words: { word: string; histogram: number[] }[] = JSON.parse(stdout).words
    const histograms = new Map(words.map(({ word, histogram }) => [word, histogram]))
    expect(histograms.get('🐕')).toEqual([0, 2, 0, 0, 0])
    expect(histograms.get('كلب')).toEqual([0, 2, 0, 0, 0])
    expect(histograms.get('dog')).toEqual([0, 0, 2, 0, 0])
  })
})

describe('import of systems', () => {
  it.concurrent('reports imported, missing and excluded items', async () => {
    write('results.json', PARK_RESULTS)
    write('some.json', cocoResults({ 1: 'A dog.' }))
    write('scores.jsonl', PARK_SCORES)
    const rows = [
      [0.9, 0.1],
      [0.1, 0.3],
      [0.5, 0.7],
      [0, 1],
    ]
    write('scores.npy', npyScores(rows))
    write('columns.csv', vocabulary({ dog: 'NN', cat: 'NN' }))
    write('ids.json', [1, 2, 3, '4'])
    const [captioner, lazy, detector, matrix] = await Promise.all([
      run('import results results.json --dataset park --system captioner'),
      run('import results some.json --dataset park --system lazy --allow-missing'),
      run('import scores scores.jsonl --dataset park --system detector'),
      run(
        'import scores scores.npy --vocabulary columns.csv --image-ids ids.json --dataset park --system matrix',
      ),
    ])
    expect(captioner.code).toBe(0)
    expect(captioner.stderr).toBe('')
    expect(captioner.stdout).toBe(
      'Imported system captioner into dataset park\n  images    4\n4 images matched by id: 1 (1.jpg), 2 (2.jpg), 3 (3.jpg).\n',
    )
    expect(lazy.stdout).toBe(
      'Imported system lazy into dataset park\n  images    1\n  missing   3 images: 2, 3, 4\n' +
        '1 image matched by id: 1 (1.jpg).\n',
    )
    expect(detector.stdout).toBe(
      'Imported system detector into dataset park\n  images    4\n  words     2\n' +
        '  excluded  1 word that no caption uses: unicorn\n',
    )
    expect(matrix.stdout).toBe('Imported system matrix into dataset park\n  images    4\n  words     2\n')
  })

  it.concurrent('counts markup of models in captions, and removes it', async () => {
    write('marked.json', cocoResults({ 1: 'A dog.</s>', 2: 'A cat.' }))
    const importMarked = (options: string) =>
      run(`import results marked.json --dataset park --allow-missing ${options}`)
    const [kept, stripped] = await Promise.all([
      importMarked('--system marked'),
      importMarked('--system stripped --strip-markup'),
    ])
    expect(kept.stdout).toContain('1 of 2 captions has markup of models (</s>); --strip-markup removes it.\n')
    expect(stripped.stdout).toContain('Markup of models was removed from 1 of 2 captions (</s>).\n')
  })
})
