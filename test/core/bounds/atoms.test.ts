import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compareAtoms, createAtomCounter } from '../../../src/core/bounds/atoms.js'
import { tokenize } from '../../../src/core/text/tokenizer.js'
import { readAtomList } from '../../../src/formats/words/atom-files.js'
import { openAtomExtractor } from '../../../src/services/bounds/atom-jobs.js'
import { ATOM_KINDS, type AtomKind } from '../../../src/shared/choices.js'
import { dataFile, dataPresent } from '../../kit/data.js'
import { isSlow } from '../../kit/slow.js'

/** The atoms of a caption, by kind. */
function atomsOf(caption: string): string[][] {
  const atoms = openAtomExtractor()(tokenize(caption))
  return ATOM_KINDS.map((kind) => atoms.filter((atom) => atom.kind === kind).map(({ text }) => text))
}

describe('atoms', () => {
  // Figure 1 of the paper. It has "graffiti" as an action as well, "abandon" as an action and "next" as an attribute
  // of the third caption, the plural "men", and "skate" as an attribute.
  it.each([
    ['A blue train sitting along side of a green forest.', 'train side forest', 'sit', 'blue green'],
    [
      'Old train left out on the ground has graffiti all over it',
      'train ground it',
      'leave have graffiti',
      'old',
    ],
    ['Two abandoned blue and white train cars next to trees.', 'train car tree', '', 'abandoned blue white'],
    [
      'A man with a skateboard under him, not touching, are in the air.',
      'man skateboard him air',
      'touch',
      '',
    ],
    [
      'Two guys are skateboarding and performing jumps and tricks.',
      'guy jump trick',
      'skateboard perform',
      '',
    ],
    ['Two men doing tricks on skateboards at the skate park', 'man trick skateboard skate park', 'do', ''],
    ['', '', '', ''],
    ['In the middle of it.', 'middle it', '', ''],
  ])('of "%s"', (caption, ...expected) => {
    expect(atomsOf(caption)).toEqual(expected.map((texts) => texts.split(' ').filter((text) => text !== '')))
  })

  it('are ranked by count, then by text', () => {
    const counter = createAtomCounter()
    const entities = (...texts: string[]) => texts.map((text) => ({ kind: 'entity' as const, text }))
    counter.add(1, entities('dog', 'cat', 'dog'))
    counter.add(1, entities('dog'))
    counter.add(2, [...entities('ant'), { kind: 'action', text: 'dog' }])
    expect(counter.list()).toEqual([
      { kind: 'entity', text: 'dog', count: 3, imageCount: 1, rank: 1 },
      { kind: 'entity', text: 'ant', count: 1, imageCount: 1, rank: 2 },
      { kind: 'entity', text: 'cat', count: 1, imageCount: 1, rank: 3 },
      { kind: 'action', text: 'dog', count: 1, imageCount: 1, rank: 1 },
    ])
  })
})

describe('two lists of atoms', () => {
  it('are compared by what both have and what only one has', () => {
    const list = (...texts: string[]) => texts.map((text, index) => ({ text, count: 10 - index }))
    expect(compareAtoms(list('dog', 'cat', 'ant'), list('cat', 'dog', 'eel', 'ant'))).toEqual({
      size: 3,
      sharedCount: 2,
      overlap: 2 / 3,
      onlyOurs: ['ant'],
      onlyTheirs: ['eel'],
      // The ranks of cat, dog, eel and ant: 3, 4, 1, 2 here and 4, 3, 2, 1 there.
      rankCorrelation: expect.closeTo(0.6),
    })
  })
})

const CAPTIONS = 'coco/captions_val2017.json'
const KINDS: readonly [AtomKind, string, number, number][] = [
  ['entity', 'atoms/coco_entities.csv', 0.93, 0.86],
  ['action', 'atoms/coco_actions.csv', 0.86, 0.75],
  ['attribute', 'atoms/coco_attributes.csv', 0.86, 0.62],
]

describe.skipIf(!isSlow || !dataPresent('published atoms', [CAPTIONS, ...KINDS.map(([, file]) => file)]))(
  'the atoms of COCO',
  () => {
    const read = () => {
      const { annotations }: { annotations: readonly { image_id: number; caption: string }[] } = JSON.parse(
        readFileSync(dataFile(CAPTIONS), 'utf8'),
      )
      const counter = createAtomCounter()
      for (const { image_id, caption } of annotations)
        counter.add(image_id, openAtomExtractor()(tokenize(caption)))
      return counter.list()
    }
    let atoms: ReturnType<typeof read> | undefined

    it.each(KINDS)('of the kind %s are mostly the published ones', (kind, file, overlap, correlation) => {
      atoms ??= read()
      const ours = atoms.filter((atom) => atom.kind === kind)
      const comparison = compareAtoms(ours, readAtomList(dataFile(file)))
      expect(comparison.overlap).toBeGreaterThanOrEqual(overlap)
      expect(comparison.rankCorrelation).toBeGreaterThanOrEqual(correlation)
    })
  },
)
