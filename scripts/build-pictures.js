// Draws the pictures of the bundled dataset, from the boxes of its scenes, as SVG files in dist/pictures.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'dist', 'pictures')
const program = join(root, 'dist', 'draw-scene.js')

await build({
  absWorkingDir: root,
  entryPoints: ['seed/pictures/draw-scene.ts'],
  outfile: program,
  bundle: true,
  format: 'esm',
  logLevel: 'warning',
})
const { drawScene } = await import(pathToFileURL(program).href)
rmSync(program)
rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
for (const file of readdirSync(join(root, 'seed', 'scenes'))) {
  for (const scene of JSON.parse(readFileSync(join(root, 'seed', 'scenes', file), 'utf8')))
    writeFileSync(join(target, `${scene.id}.svg`), drawScene(imageOf(scene)))
}

function imageOf({ id, width, height, objects }) {
  const boxes = objects.map(({ id: object, category, box: [x, y, boxWidth, boxHeight], attributes }) => ({
    externalId: String(object),
    label: category.split('.')[0].replaceAll('_', ' '),
    x,
    y,
    width: boxWidth,
    height: boxHeight,
    attributes,
  }))
  return { externalId: id, width, height, boxes }
}
