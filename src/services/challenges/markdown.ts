import { LRUCache } from 'lru-cache'
import MarkdownIt from 'markdown-it'

/**
 * Markdown of users as HTML that can be shown: HTML in it is shown as text, links lead to web pages and mail addresses only, and
 * pictures, which would tell other servers who reads, are left as links.
 *
 * The parser compares brackets and emphasis of a paragraph with each other, in time that grows with the square of their number.
 * So that no text takes long, paragraphs are parsed one at a time, and one with very many of them is shown as it was written.
 */
const markdown = create()

/** Blocks only: their texts are parsed later. */
const blocks = create().disable('inline')

/** The same without definitions of references, which are compared with the text after each of them. */
const withoutReferences = create().disable(['inline', 'reference'])

function create() {
  const created = new MarkdownIt({ html: false }).disable('image')
  /** Schemes of links. Paths of this server are none: a link could start something. */
  created.validateLink = (url) => /^(https?:\/\/|mailto:)/i.test(url.trim())
  return created
}

/** Maximum of characters × markup of a text that is parsed at once: about 5 ms. */
const MAX_PRODUCT = 1_000_000

/** Texts that are cached with their HTML. */
const rendered = new LRUCache<string, string>({ max: 100 })

/** @param turn waits for a turn between paragraphs, so that a long text does not delay other requests */
export async function renderMarkdown(text: string, turn: () => Promise<void>): Promise<string> {
  const known = rendered.get(text)
  if (known !== undefined) return known
  const env: Record<string, unknown> = {}
  const isDefined = productOf(text, /^ {0,3}\[/gm) <= MAX_PRODUCT
  const tokens = (isDefined ? blocks : withoutReferences).parse(text, env)
  for (const token of tokens) {
    if (token.type !== 'inline') continue
    await turn()
    token.children = childrenOf(token.content, env)
  }
  const html = markdown.renderer.render(tokens, markdown.options, env)
  rendered.set(text, html)
  return html
}

function childrenOf(content: string, env: Record<string, unknown>) {
  if (productOf(content, /[[\]*_~`<&!\\]/g) <= MAX_PRODUCT)
    return markdown.parseInline(content, env)[0].children
  const text = new markdown.core.State('', markdown, env).Token
  const shown = new text('text', '', 0)
  shown.content = content
  return [shown]
}

function productOf(text: string, markup: RegExp): number {
  return text.length * (text.match(markup)?.length ?? 0)
}
