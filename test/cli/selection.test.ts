import { mkdirSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { importPark, workbench } from './kit.js'

const bench = workbench()
const { run, write, content, path } = bench

/** Runs a command that must succeed. */
async function succeed(command: string): Promise<{ stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await run(command)
  if (code !== 0) throw new Error(`accord ${command}: ${stderr}`)
  return { stdout, stderr }
}

/** The stderr of a failing command, which must not change the data. */
async function failure(command: string, status = 1): Promise<string> {
  const before = content()
  const { code, stdout, stderr } = await run(command)
  expect({ code, stdout }).toEqual({ code: status, stdout: '' })
  expect(content()).toEqual(before)
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('accord: '))
    .join('\n')
}

const box = (id: number, concept: string, side: number) => ({ id, concept, bbox: [0, 0, side, side] })
// Hand-computed: everybody mentions the dog; one of two also mentions the ball.
const FIELD = {
  images: [
    { image_id: 1, boxes: [box(1, 'ball', 5), box(2, 'dog', 20)] },
    { image_id: 2, boxes: [box(1, 'dog', 20), box(2, 'tree', 50)] },
    { image_id: 3, boxes: [] },
  ],
  descriptions: [
    { id: 'a', image_id: 1, caption: 'a [dog](2) with a [ball](1)' },
    { id: 'b', image_id: 1, caption: 'a [dog](2)' },
    { id: 'c', image_id: 2, mentions: [1] },
    { id: 'd', image_id: 2, mentions: [1] },
    { id: 'e', image_id: 3, mentions: [] },
  ],
}
const DOGS = [
  { image_id: 1, caption: 'one [dog](2)' },
  { image_id: 2, caption: 'a [dog](1) by a [tree](2)' },
]

beforeAll(async () => {
  await importPark(bench, 'with systems')
  write('field.json', FIELD)
  write('dogs.json', DOGS)
  write('development.json', {
    images: FIELD.images.slice(0, 1),
    descriptions: FIELD.descriptions.slice(0, 2),
  })
  await succeed('import boxes field.json --dataset field')
  await succeed('import boxes development.json --dataset development')
  await succeed('import descriptions dogs.json --dataset field --system ours')
})

describe('import boxes', () => {
  it('reports imported and excluded items', async () => {
    write('mixed.json', {
      images: [
        {
          image_id: 1,
          width: 10,
          height: 10,
          boxes: [
            box(1, 'dog', 8),
            box(2, 'sky', 0),
            box(3, 'tree', 20),
            { ...box(4, 'car', 5), bbox: [12, 0, 5, 5] },
          ],
        },
        { image_id: 2, boxes: [] },
      ],
      descriptions: [{ id: 'a', image_id: 1, mentions: [1, 2, 4] }],
    })
    const { stdout } = await succeed('import boxes mixed.json --dataset mixed')
    expect(stdout).toBe(
      [
        'Imported dataset mixed',
        '  images        2',
        '  boxes         2',
        '  descriptions  1',
        '  excluded      1 box outside the image',
        '  excluded      1 box without area',
        '  excluded      2 mentions of an object without a box',
        '  note          1 box clipped to the image',
        '  note          1 image without boxes',
        '',
      ].join('\n'),
    )
  })

  it('adds boxes to a dataset with captions', async () => {
    write('park-boxes.json', {
      images: [1, 9].map((image_id) => ({ image_id, boxes: [box(1, 'dog', 5)] })),
      descriptions: [
        { id: 'x', image_id: 1, caption: 'A [dog](1) runs.' },
        { id: 'y', image_id: 9, mentions: [1] },
      ],
    })
    const { stdout } = await succeed('import boxes park-boxes.json --dataset park')
    expect(stdout).toBe(
      [
        'Imported boxes into dataset park',
        '  images        1',
        '  boxes         1',
        '  descriptions  1 (captions of the dataset: 1)',
        '  excluded      1 image not in the dataset',
        '',
      ].join('\n'),
    )
    write('captioner.json', [{ image_id: 1, caption: 'A [dog](1).' }])
    await succeed('import descriptions captioner.json --dataset park --system captioner')
    const { stdout: csv } = await succeed('selection --dataset park --system captioner --format csv')
    expect(csv.split('\n')[1]).toMatch(
      /^captioner,,1,0,1,0,1,0,,,,,,,false,1,0,TOO_FEW_IMAGES,content-selection\|refs:1\|/,
    )
  })

  it('fails with one line and leaves the database as it was', async () => {
    write('unknown.json', { ...FIELD, descriptions: [{ id: 'a', image_id: 1, mentions: [9] }] })
    expect(await failure('import boxes unknown.json --dataset new')).toBe(
      'accord: unknown.json: descriptions[0].mentions[0]: unknown box: expected the id of a box of image 1, found "9"',
    )
    write('twice.json', { images: [FIELD.images[0], FIELD.images[0]] })
    expect(await failure('import boxes twice.json --dataset new')).toBe(
      'accord: twice.json: images[1].image_id: duplicate id: expected a unique id, found "1"',
    )
    write('open.json', { ...FIELD, descriptions: [{ id: 'a', image_id: 1, caption: 'a [dog](2' }] })
    expect(await failure('import boxes open.json --dataset new')).toBe(
      'accord: open.json: descriptions[0].caption, character 7: incomplete mention markup: expected a closing ), found "(2"',
    )
    expect(await failure('import boxes field.json --dataset field')).toBe(
      'accord: field.json: image 1: the dataset already has a box with this id: expected a new id, found "1"',
    )
    mkdirSync(path('flickr/Sentences'), { recursive: true })
    mkdirSync(path('flickr/Annotations'), { recursive: true })
    write('flickr/Sentences/1.txt', '[/EN#1/animals A dog] runs .')
    write('flickr/Annotations/1.xml', '<annotation>')
    expect(await failure('import boxes flickr --dataset new')).toMatch(
      /^accord: flickr\/Annotations\/1\.xml: line 1: invalid Flickr30k Entities annotation: expected well-formed XML, found .+$/,
    )
  })
})

describe('import descriptions', () => {
  it('reports the system', async () => {
    write('some.json', DOGS.slice(0, 1))
    const { stdout } = await succeed(
      'import descriptions some.json --dataset field --system partial --allow-missing',
    )
    expect(stdout).toBe('Imported system partial into dataset field\n  images    1\n  missing   1 image: 2\n')
    await succeed('remove system partial --dataset field')
  })

  it('fails with one line and leaves the database as it was', async () => {
    write('some.json', DOGS.slice(0, 1))
    expect(await failure('import descriptions some.json --dataset field --system theirs')).toBe(
      'accord: some.json: images are missing: expected all 2 images of the dataset, found 1, without 2 (--allow-missing: accept a system without results for some images of the dataset)',
    )
    expect(await failure('import descriptions dogs.json --dataset field --system ours', 2)).toContain(
      'the system already has descriptions; remove it first',
    )
  })
})

describe('selection as JSON', () => {
  it('has people, baselines by k, and systems, unrounded', async () => {
    const { stdout, stderr } = await succeed('selection --dataset field --priors development --format json')
    expect(stderr).toContain(
      'Omitted: position, unigram+position, bigram+position (requires the width and height of every image)\n',
    )
    const { rows, provenance, ...report } = JSON.parse(stdout)
    expect(report).toEqual({
      dataset: 'field',
      priors: 'development',
      priorsShare: null,
      imageCount: 2,
      imagesWithoutReferences: 1,
      descriptionsWithoutMentions: 1,
      leftOut: [
        { system: 'position', reason: 'NO_IMAGE_SIZE' },
        { system: 'unigram+position', reason: 'NO_IMAGE_SIZE' },
        { system: 'bigram+position', reason: 'NO_IMAGE_SIZE' },
      ],
      notes: [
        expect.stringContaining('by symmetry'),
        'Fewer than 10 images: no interval and no test is reliable.',
      ],
    })
    const systems = new Set(rows.map(({ system }: { system: string }) => system))
    expect([...systems]).toEqual([
      'human',
      'random',
      'size',
      'unigram',
      'bigram',
      'unigram+size',
      'bigram+size',
      'ours',
    ])
    expect(rows).toHaveLength(1 + 6 * 15 + 1)
    // Image 1: {dog, ball} against {dog} has P 1/2 and R 1, the other way P 1 and R 1/2. Image 2: all 1.
    expect(rows[0]).toMatchObject({ system: 'human', k: null, precision: 0.875, recall: 0.875 })
    expect(rows[0].f).toBeCloseTo((2 / 3 + 1) / 2, 14)
    expect(rows[0].fSd).toBeCloseTo(1 / 6, 14)
    // The largest box is the dog in image 1 (R 1 and 1/2), the tree in image 2.
    const size = rows.find(({ system, k }: { system: string; k: number }) => system === 'size' && k === 1)
    expect(size).toMatchObject({
      precision: 0.5,
      recall: 0.375,
      images: 2,
      undefinedReason: 'TOO_FEW_IMAGES',
    })
    const ours = rows.at(-1)
    expect(ours).toMatchObject({ system: 'ours', k: null, precision: 0.75, recall: 0.875, imagesLeftOut: 0 })
    expect(ours).toMatchObject({ intervals: null, undefinedReason: 'TOO_FEW_IMAGES', isSmall: false })
    expect(new Set(rows.map(({ signature }: { signature: string }) => signature)).size).toBe(1)
    expect(ours.signature).toMatch(/^content-selection\|refs:2\|images:2\|.*\|res:priors-/)
    expect(provenance).toEqual({
      people: expect.objectContaining({ subject: { kind: 'people', content: provenance.people.dataset } }),
      systems: {
        ours: {
          ...provenance.people,
          subject: { kind: 'system', content: expect.stringMatching(/^\w{64}$/) },
        },
      },
    })
  })

  it('is filtered by k and system', async () => {
    const { stdout } = await succeed('selection --dataset field --system human size --k 2 1 --format json')
    const { rows, leftOut } = JSON.parse(stdout)
    expect(rows.map(({ system, k }: { system: string; k: number | null }) => [system, k])).toEqual([
      ['human', null],
      ['size', 1],
      ['size', 2],
    ])
    expect(leftOut).toEqual([])
  })

  it('learns from a share of the images', async () => {
    const images = Array.from({ length: 30 }, (_, index) => ({
      image_id: index,
      boxes: [box(1, 'dog', 5), box(2, 'ball', 9)],
    }))
    write('many.json', {
      images,
      descriptions: images.map(({ image_id }) => ({ id: image_id, image_id, mentions: [1] })),
    })
    await succeed('import boxes many.json --dataset many')
    const { stdout } = await succeed(
      'selection --dataset many --priors-share 0.5 --system unigram --k 1 --format json',
    )
    const { priorsShare, imageCount, rows, notes } = JSON.parse(stdout)
    expect(priorsShare).toBe(0.5)
    expect(imageCount).toBeLessThan(30)
    expect(imageCount).toBeGreaterThan(9)
    expect(rows).toMatchObject([
      {
        precision: 1,
        recall: 1,
        images: imageCount,
        intervals: { f: null },
        undefinedReason: 'NO_VARIATION',
        isSmall: true,
      },
    ])
    expect(notes).toContain('Fewer than 30 images: intervals and tests are approximate.')
  })
})

describe('selection as a table and CSV', () => {
  it('shows means, deviations and the interval of F', async () => {
    const { stdout } = await succeed('selection --dataset field --system human size ours --k 1')
    expect(stdout).toBe(
      [
        'system  k     P    SD     R    SD     F    SD  95 % interval of F',
        '─────────────────────────────────────────────────────────────────',
        'human      .875  .125  .875  .125  .833  .167                   –',
        '─────────────────────────────────────────────────────────────────',
        'size    1  .500  .500  .375  .375  .429  .429                   –',
        '─────────────────────────────────────────────────────────────────',
        'ours       .750  .250  .875  .125  .762  .095                   –',
        '',
        'Means over 2 images and standard deviations (SD). Excluded: 1 image without a',
        'human description that mentions a box, 1 description without a mention of a box.',
        'The mean human precision equals the mean human recall by symmetry: each',
        'description is compared with every other one of its image, in both roles.',
        'Fewer than 10 images: no interval and no test is reliable.',
        '',
      ].join('\n'),
    )
  })

  it('has a row for each as CSV', async () => {
    const { stdout } = await succeed('selection --dataset field --system size --k 1 --format csv')
    const signature = /,content-selection\|[^,\n]*$/m
    expect(stdout).toMatch(signature)
    expect(stdout.replace(signature, '')).toBe(
      [
        'system,k,precision,precisionSd,recall,recallSd,f,fSd,intervals.precision.lower,intervals.precision.upper,intervals.recall.lower,intervals.recall.upper,intervals.f.lower,intervals.f.upper,isSmall,images,imagesLeftOut,undefinedReason,signature',
        'size,1,0.5,0.5,0.375,0.375,0.42857142857142855,0.42857142857142855,,,,,,,false,2,0,TOO_FEW_IMAGES',
        '',
      ].join('\n'),
    )
  })
})

describe('selection refuses', () => {
  it.each([
    [
      'unigram without development data',
      '--dataset field --system unigram',
      'accord: priors: unigram requires development data to learn priors from: expected another dataset, or a share of this one, found neither',
    ],
    [
      'position without sizes',
      '--dataset field --system position',
      'accord: dataset: position requires the width and height of every image: found 2 without',
    ],
    [
      'an unknown name',
      '--dataset field --system theirs',
      'accord: system: unknown baseline or system: expected one of human, random, size, position, unigram, bigram, unigram+size, unigram+position, bigram+size, bigram+position, ours, found "theirs"',
    ],
    [
      'priors of the dataset itself',
      '--dataset field --priors field',
      'accord: priors: priors cannot be learned from the descriptions that are scored: expected another dataset, or a share of this one, found "field"',
    ],
  ])('%s', async (name, flags, message) => {
    expect(await failure(`selection ${flags}`, name === 'an unknown name' ? 2 : 1)).toBe(message)
  })

  it.each([
    ['--k 16', "accord: '--k <k...>' argument '16' is invalid. Expected an integer from 1 to 15."],
    ['--priors-share 1', "accord: '--priors-share <share>' argument '1' is invalid."],
    [
      '--priors a --priors-share 0.5',
      "'--priors-share <share>' cannot be used with option '--priors <name>'",
    ],
  ])('%s as wrong usage', async (flags, message) => {
    const { code, stderr } = await run(`selection --dataset field ${flags}`)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
