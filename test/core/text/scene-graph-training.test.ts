import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { projectFile } from '../../../src/project.js'

const folder = mkdtempSync(join(tmpdir(), 'accord-training-'))
afterAll(() => rmSync(folder, { recursive: true }))

const GRAPHS = ['table', 'plate', 'tray', 'bench', 'box', 'grill'].map(
  (place, i) => `${i},${i},a hotdog on a ${place},"( hot dog , on , ${place} )"`,
)

function train(name: string): Buffer {
  const [data, output] = [join(folder, 'graphs.csv.gz'), join(folder, name)]
  writeFileSync(data, gzipSync(['image_id,region_id,caption,scene_graph', ...GRAPHS].join('\n')))
  execFileSync(process.execPath, [projectFile('scripts/train-scene-graphs.js'), data, '--output', output])
  return readFileSync(output)
}

it('trains the same model twice, in which a noun with another name is an object', () => {
  const model = train('first.gz')
  expect(train('second.gz').equals(model)).toBe(true)
  const lines = gunzipSync(model).toString('utf8').split('\n')
  expect(lines).toContain('=object hotdog\thot dog')
  const weights = new Map(lines.map((line) => line.split('\t') as [string, string]))
  expect(Number(weights.get('name0 hot dog hotdog'))).toBeGreaterThan(0)
  expect(Number(weights.get('sc1 object hotdog'))).toBeGreaterThan(0)
})
