import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cocoCaptions } from '../kit/coco.js'
import { importPark, PARK_RESULTS, workbench } from './kit.js'

describe('the next step at a terminal', () => {
  const { run, write } = workbench()
  const streams = [process.stdout, process.stderr]
  const before = streams.map(({ isTTY }) => isTTY)

  const asTerminal = (isTTY: boolean) => {
    for (const stream of streams) stream.isTTY = isTTY
  }

  beforeAll(async () => {
    await importPark({ run, write } as ReturnType<typeof workbench>, 'without systems')
    write('some.json', PARK_RESULTS.slice(0, 3))
    write('single.json', cocoCaptions({ 1: ['a dog'], 2: ['a man'] }))
    write(
      'rated.jsonl',
      '{"image_id": 1, "references": ["a dog"], "captions": [{"caption": "a dog", "ratings": [4, 3]}]}\n',
    )
    write('votes.csv', 'atom,visual,voter\ndog,yes,ann\n')
    write('settings.json', { dataset: 'park' })
  })
  afterAll(() => {
    for (const [index, stream] of streams.entries()) stream.isTTY = before[index]
  })

  /** What a command suggests, after it was executed. */
  async function after(command: string): Promise<string | undefined> {
    asTerminal(true)
    try {
      const { code, stderr } = await run(command, { NO_COLOR: '1' })
      expect({ command, code, stderr }).toMatchObject({ code: 0 })
      return /Next: accord (.*)\n/.exec(stderr)?.[1]
    } finally {
      asTerminal(false)
    }
  }

  it.each([
    ['import captions park.json --dataset again', 'words --top 20 --dataset again'],
    [
      'import results results.json --dataset park --system captioner',
      'evaluate --dataset park --system captioner',
    ],
    [
      'import results some.json --dataset park --system some --allow-missing',
      'evaluate --dataset park --system some',
    ],
    [
      'import scores scores.jsonl --dataset park --system detector',
      'words --sort gap --top 20 --dataset park --system detector',
    ],
    ['import judgements rated.jsonl --dataset rated', 'judge --dataset rated'],
    ['import votes votes.csv --dataset park --kind entity', 'votes --dataset park'],
    [
      'evaluate --dataset park --system captioner --metrics BLEU,METEOR --document-frequencies coco',
      'compare --people --dataset park --system captioner --metrics BLEU,METEOR --document-frequencies coco',
    ],
    [
      'evaluate --system captioner some --references 1 --config settings.json',
      'compare --people --system captioner,some --references 1 --config settings.json',
    ],
    [
      'score park.json some.json --allow-missing --metrics ROUGE',
      'examples park.json some.json --worst 10 --metrics ROUGE-L --allow-missing',
    ],
    ['score park.json results.json', 'examples park.json results.json --worst 10'],
    ['import captions single.json --dataset single', undefined],
    ['score park.json results.json --json', undefined],
    ['score park.json results.json --quiet', undefined],
    ['score park.json results.json -o scores.txt', undefined],
    ['score park.json results.json --document-frequencies park', undefined],
    ['datasets', undefined],
  ])('after `%s` is `%s`, and succeeds', async (command, expected) => {
    const next = await after(command)
    expect(next).toBe(expected)
    if (next !== undefined) {
      const { code, stderr } = await run(next)
      expect({ next, code, stderr }).toMatchObject({ code: 0 })
    }
  })

  it('quotes names, and separates those with commas', async () => {
    asTerminal(true)
    const imported = await run(['import', 'captions', 'park.json', '--dataset', "Tom's park"], {
      NO_COLOR: '1',
    })
    await run(['import', 'results', 'results.json', '--dataset', 'park', '--system', 'a, b'])
    const evaluated = await run(
      ['evaluate', '--dataset', 'park', '--system', 'a\\, b', '--metrics', 'BLEU'],
      { NO_COLOR: '1' },
    )
    asTerminal(false)
    expect(imported.stderr).toContain(`Next: accord words --top 20 --dataset 'Tom'\\''s park'\n`)
    expect(evaluated.stderr).toContain(
      `Next: accord compare --people --dataset park --system 'a\\, b' --metrics BLEU\n`,
    )
  })

  it('is not written elsewhere', async () => {
    expect((await run('score park.json results.json')).stderr).not.toContain('Next:')
  })
})
