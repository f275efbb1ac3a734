// Writes the documentation to dist/docs as pages of HTML, from the same Markdown files: the README is the first page, and its list of
// questions the menu of all. They need no script, load nothing from other hosts, and can be opened from a folder.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import MarkdownIt from 'markdown-it'
import { publishSchema } from './published-schema.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'dist', 'docs')
const sources = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/SIMULATION.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
/** Files that pages show or link to, beside them. */
const FILES = /\.(svg|py|graphql)$/

const markdown = new MarkdownIt({ html: false, linkify: false })
const read = (path) => readFileSync(join(root, path), 'utf8')
const nameOf = (path) => (path === 'README.md' ? 'index.html' : `${basename(path, '.md').toLowerCase()}.html`)

/** The id of a heading, as on GitHub. */
const slug = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** The address of a link of a page: pages and files of this site, or what it is. */
function addressOf(link, from, copied) {
  if (/^([a-z]+:|#)/i.test(link)) return link
  const [path, anchor] = link.split('#')
  const file = posix.normalize(posix.join(dirname(from), path))
  const end = anchor === undefined ? '' : `#${anchor}`
  if (sources.includes(file)) return `${nameOf(file)}${end}`
  copied.add(file)
  return FILES.test(file) ? basename(file) : `${basename(file)}.txt`
}

/** The tokens of a page with ids of headings and addresses of this site. */
function parse(path, copied) {
  const tokens = markdown.parse(read(path), {})
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open')
      token.attrSet('id', slug(tokens[index + 1].content.replaceAll(/[`*]|\]\([^)]*\)|\[/g, '')))
    for (const child of token.children ?? []) {
      const key = { link_open: 'href', image: 'src' }[child.type]
      if (key) child.attrSet(key, addressOf(child.attrGet(key), path, copied))
    }
  }
  return tokens
}

markdown.renderer.rules.table_open = () => '<div class="table"><table>\n'
markdown.renderer.rules.table_close = () => '</table></div>\n'
// Columns are aligned by a style in the page otherwise, which its policy does not allow.
for (const cell of ['th_open', 'td_open']) {
  markdown.renderer.rules[cell] = (tokens, index) => {
    const align = /text-align:(\w+)/.exec(tokens[index].attrGet('style') ?? '')?.[1]
    return `<${tokens[index].tag}${align === 'right' ? ' align="right"' : ''}>`
  }
}

/** The list below the README's heading "Questions", as the menu of a page. */
function menu(tokens, current) {
  const start = tokens.findIndex(({ type, content }) => type === 'inline' && content === 'Questions')
  const list = tokens.slice(
    start + 2,
    tokens.findIndex(({ type }, index) => index > start && type === 'bullet_list_close') + 1,
  )
  return markdown.renderer
    .render(list, markdown.options, {})
    .replaceAll(' · ', ' ')
    .replace(`href="${current}"`, `href="${current}" aria-current="page"`)
}

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
const copied = new Set()
const readme = parse('README.md', copied)
for (const path of sources) {
  const tokens = path === 'README.md' ? readme : parse(path, copied)
  const title = tokens.find(({ type }) => type === 'inline')?.content.replaceAll('`', '') ?? 'Accord'
  const name = nameOf(path)
  writeFileSync(
    join(target, name),
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${markdown.utils.escapeHtml(path === 'README.md' ? title : `${title} · Accord`)}</title>
<link rel="stylesheet" href="docs.css">
</head>
<body>
<header><a href="index.html">Accord</a> <a href="#pages">All pages</a></header>
<main>
${markdown.renderer.render(tokens, markdown.options, {})}</main>
<nav id="pages" aria-label="All pages">
<a href="index.html">Accord</a>
${menu(readme, name)}</nav>
</body>
</html>
`,
  )
}
copyFileSync(join(root, 'scripts', 'docs.css'), join(target, 'docs.css'))
for (const file of copied)
  copyFileSync(join(root, file), join(target, FILES.test(file) ? basename(file) : `${basename(file)}.txt`))

writeFileSync(join(target, 'schema.graphql'), publishSchema(read('schema.graphql')))
