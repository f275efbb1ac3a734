/**
 * Breaks the sources on purpose, one small change at a time, and lists what no test notices.
 *
 *     npm run mutants -- --area services/judgements --count 40 --seed 7
 *
 * One run of `npm test` without mutants shows which test files execute which places. Each mutant is then given to those files, the
 * nearest and shortest first, for at most SECONDS of tests, but to one file at least. Sources on the disk do not change, and threads
 * execute what was built. Test files or folders at the end of the command replace all of `npm test`. A survivor becomes a test, or
 * a line of `test/mutants.tsv` with the reason why no test should notice it.
 *
 * A mutant runs with the rights of whoever starts it, and may remove or write the wrong files: commit your work before.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createRandom, shuffled } from './random.js'

/** Seconds of tests, as they last without a mutant, that a mutant is given. */
const SECONDS = 40

/** The first failure ends the tests of a mutant, and three minutes end one that does not end. */
const PATIENT = { reporters: ['--bail=1', '--maxWorkers=1'], patience: 180_000 }

const ACCEPTED = 'test/mutants.tsv'

const OPERATORS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
}

/**
 * @typedef {{ start: number, end: number, text: string }[]} Edits replacements of parts of a file, which do not overlap
 */

/** @param {string} code @param {Edits} edits in the order of the file */
export function applyEdits(code, edits) {
  let at = 0
  const pieces = []
  for (const { start, end, text } of edits) {
    pieces.push(code.slice(at, start), text)
    at = end
  }
  return pieces.join('') + code.slice(at)
}

/**
 * The mutants of a file: what each replaces by what, and the places that show that a test reaches it. Code outside functions is
 * executed when a file is loaded, by whichever test comes first: all functions of the file stand for it.
 *
 * @param {import('vite').ESTree.Program} program
 */
export function findMutants(program, code) {
  const mutants = []
  const bodies = []

  function visit(node, parent, key, isInFunction) {
    const add = ({ start, end, type }, from, to, text) =>
      mutants.push({
        start: from,
        end: to,
        text,
        places: isInFunction ? [{ start, end, isStatement: type === 'ExpressionStatement' }] : bodies,
      })
    if (node.type.startsWith('TS') && !/^TS(As|Satisfies|NonNull)/.test(node.type)) return
    if (node.type === 'ImportDeclaration' || (node.type === 'ExportNamedDeclaration' && node.source)) return
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const text = OPERATORS[node.operator]
        if (!text || (node.operator === '+' && /['"`]/.test(code.slice(node.start, node.end)))) break
        const start = code.indexOf(node.operator, node.left.end)
        add(node, start, start + node.operator.length, text)
        break
      }
      case 'UnaryExpression':
        if (/[!-]/.test(node.operator)) add(node, node.start, node.start + 1, ' ')
        break
      case 'IfStatement':
      case 'ConditionalExpression':
        if (/^(Identifier|MemberExpression|CallExpression|AwaitExpression)$/.test(node.test.type)) {
          const { start, end } = node.test
          add(node.test, start, end, `!(${code.slice(start, end)})`)
        }
        break
      case 'Literal':
        if (key === 'key' && !parent.computed) break
        if (typeof node.value === 'number') add(node, node.start, node.end, `${node.value + 1}`)
        if (typeof node.value === 'boolean') add(node, node.start, node.end, `${!node.value}`)
        break
      case 'ExpressionStatement': {
        const { type, argument } = node.expression
        if (type === 'CallExpression' || argument?.type === 'CallExpression') {
          add(node, node.start, node.end, ';')
        }
        break
      }
      case 'ArrayExpression': {
        const [first, second] = node.elements
        if (first && second) add(node, first.start, second.start, '')
        break
      }
      case 'CallExpression': {
        const name = code.slice(node.callee.start, node.callee.end)
        const other = { 'Math.min': 'Math.max', 'Math.max': 'Math.min' }[name]
        if (other) add(node, node.callee.start, node.callee.end, other)
      }
    }
    const isFunction = /Function/.test(node.type)
    if (isFunction && node.body?.type === 'BlockStatement') {
      bodies.push({ start: node.body.start + 1, end: node.body.start + 1, isStatement: true })
    }
    for (const [name, value] of Object.entries(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === 'string') visit(child, node, name, isInFunction || isFunction)
      }
    }
  }
  visit(program, null, '', false)
  return mutants
}

/** The edits of a file that let it say which of these mutants are reached. */
function probes(mutants) {
  const edits = []
  for (const { id, places } of mutants) {
    for (const { start, end, isStatement } of places) {
      const size = end - start
      const call = `globalThis.probe?.(${id})`
      // What ends at a place comes before what begins there, the inner first.
      const [before, after] =
        size === 0 ? [`${call};`, ''] : isStatement ? [`{${call};`, '}'] : [`(${call},`, ')']
      edits.push(
        { start, end: start, text: before, order: -size },
        { start: end, end, text: after, order: size - 1e9 },
      )
    }
  }
  return edits.sort((a, b) => a.start - b.start || a.order - b.order)
}

/** Runs tests on changed files. Resolves to `passed`, `failed`, or `endless` if they took longer than `patience`. */
function runTests(edits, files, { reporters, patience, environment }) {
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.mutants.config.js', ...reporters, ...files],
    {
      env: { ...process.env, ACCORD_MUTANTS: JSON.stringify(edits), ...environment },
      stdio: 'ignore',
      detached: true,
    },
  )
  const timer = patience && setTimeout(() => process.kill(-child.pid, 'SIGKILL'), patience)
  return new Promise((done) => {
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      done(signal ? 'endless' : code === 0 ? 'passed' : 'failed')
    })
  })
}

/** The test files that reach each mutant, by its id, and the seconds that each file lasts. */
async function reachTests(mutants, paths, folder) {
  const edits = [...new Set(mutants.map(({ file }) => file))].map((file) => [
    resolve(file),
    probes(mutants.filter((mutant) => mutant.file === file)),
  ])
  const [probeFile, resultFile] = [join(folder, 'probes.jsonl'), join(folder, 'results.json')]
  await runTests(edits, paths, {
    reporters: ['--reporter=json', `--outputFile=${resultFile}`],
    environment: { ACCORD_PROBES: probeFile },
  })
  const { testResults } = JSON.parse(readFileSync(resultFile, 'utf8'))
  if (testResults.length === 0) throw new Error(`Expected test files or folders, found ${paths.join(' ')}`)
  const failed = testResults.find(({ status }) => status === 'failed')
  if (failed) {
    const messages = failed.assertionResults.flatMap(({ failureMessages }) => failureMessages ?? [])
    throw new Error(
      `Tests fail without a mutant: ${failed.name}: ${[failed.message, ...messages].join('\n')}`,
    )
  }
  const seconds = new Map(
    testResults.map(({ name, startTime, endTime }) => [name, (endTime - startTime) / 1e3]),
  )
  const reached = new Map(mutants.map(({ id }) => [id, []]))
  for (const line of readFileSync(probeFile, 'utf8').trim().split('\n')) {
    const { test, places } = JSON.parse(line)
    for (const id of places) reached.get(id)?.push(test)
  }
  return { seconds, reached }
}

/** How far a test is from a source file: its own test, one of the same folder, or another. */
function distance(file, test) {
  const mirrored = resolve(file.replace(/^src\//, '').replace(/\.tsx?$/, '.test.ts'))
  const own = mirrored.replace(resolve('.'), resolve('test'))
  return test === own ? 0 : dirname(test) === dirname(own) ? 1 : 2
}

/** Files of an area: a folder or a file of `src`, or of the project, such as `web/app`. */
function sourcesOf(area) {
  const path = ['core', 'services', 'api', 'store', 'cli', 'formats', 'queue', 'compute', 'shared'].includes(
    area.split('/')[0],
  )
    ? join('src', area)
    : area
  const files = /\.tsx?$/.test(path)
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter(
          (name) =>
            /\.tsx?$/.test(name) && !/\.d\.ts$|(schema-types|plain-resolvers)\.ts$|^queries\//.test(name),
        )
        .map((name) => join(path, name))
        // Tests execute what is compiled of these, which a change in memory does not reach.
        .filter((file) => !file.startsWith(join('src', 'core', 'bounds', 'engine', 'kernels')))
  return files.sort()
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      area: { type: 'string', multiple: true, default: ['core', 'services', 'api', 'store', 'cli', 'web'] },
      count: { type: 'string', default: '40' },
      seed: { type: 'string', default: '1' },
    },
  })
  const { parseSync } = await import('vite')
  const random = createRandom(Number(values.seed))
  const mutants = values.area.flatMap((area) => {
    const all = sourcesOf(area).flatMap((file) => {
      const code = readFileSync(file, 'utf8')
      return findMutants(parseSync(file, code).program, code).map((mutant) => ({
        ...mutant,
        file,
        code,
        area,
      }))
    })
    const count = Math.ceil(Number(values.count) / values.area.length)
    return shuffled(all.length, random)
      .slice(0, count)
      .map((index) => all[index])
  })
  mutants.forEach((mutant, id) => {
    mutant.id = id
  })

  const folder = mkdtempSync(join(tmpdir(), 'accord-mutants-'))
  const { seconds, reached } = await reachTests(mutants, positionals, folder).finally(() =>
    rmSync(folder, { recursive: true }),
  )

  const accepted = new Set(
    readFileSync(ACCEPTED, 'utf8')
      .split('\n')
      .map((line) => line.split('\t').slice(0, 3).join('\t')),
  )
  const queue = [...mutants]
  const survivors = []
  const endless = []
  async function work() {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const { file, start, end, text, id, code } = mutant
      let left = SECONDS
      const tests = reached
        .get(id)
        .sort((a, b) => distance(file, a) - distance(file, b) || seconds.get(a) - seconds.get(b))
        .filter((test, index) => {
          left -= seconds.get(test)
          return index === 0 || left > 0
        })
      if (tests.length > 0) {
        const edits = [[resolve(file), [{ start, end, text }]]]
        const outcome = await runTests(edits, tests, PATIENT)
        if (outcome === 'endless') endless.push(mutant)
        if (outcome !== 'passed') continue
      }
      const line = code.slice(0, start).split('\n').length
      const first = code.lastIndexOf('\n', start - 1) + 1
      const last = `${code}\n`.indexOf('\n', end)
      const before = code.slice(first, last)
      const after = before.slice(0, start - first) + text + before.slice(end - first)
      const columns = [file, before, after].map((column) => column.replace(/\s+/g, ' ').trim())
      const isAccepted = accepted.has(columns.join('\t'))
      if (!isAccepted) survivors.push(mutant)
      console.log(
        `${isAccepted ? 'accepted' : 'SURVIVED'} ${file}:${line} (${tests.length} test files)\n  - ${columns[1]}\n  + ${columns[2]}`,
      )
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  for (const area of values.area) {
    const of = (list) => list.filter((mutant) => mutant.area === area).length
    console.log(
      `${area}: ${of(survivors)} of ${of(mutants)} mutants survived, ${of(endless)} did not end in three minutes`,
    )
  }
  if (survivors.length > 0) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
