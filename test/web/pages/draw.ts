import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { vi } from 'vitest'
import { findRoute } from '../../../web/app/routes'
import { visit } from '../../../web/record/router'
import { type Question, setAnswer, takeQuestions } from '../../../web/report/client'

// As in a report, pages are drawn as text.
vi.mock('../../../web/app/client', async () => ({
  ...(await import('../../../web/report/client')),
  client: {},
  forgetAnswers() {},
}))
vi.mock('../../../web/app/router', async () => ({
  ...(await import('../../../web/record/router')),
  useLocation: () => ({ search: visit('').searchParams }),
}))
vi.mock('../../../web/app/transport', () => ({ isRecorded: false, exchanges: [] }))

/** Draws the page of an address until it has no more questions. */
export async function drawPage(
  address: string,
  ask: (question: Question) => Promise<unknown>,
): Promise<string> {
  const found = findRoute(visit(address).pathname.slice(1))
  if (!found) throw new Error(`no page has the address ${address}`)
  const { default: Page } = await found.route.load()
  for (;;) {
    const html = drawAt(address, found.route.isLive === true, () => renderToString(h(Page, found.parameters)))
    const questions = takeQuestions()
    if (questions.length === 0) return html
    for (const question of questions) setAnswer(question, await ask(question))
  }
}

/**
 * Draws always at the same moment. What is drawn without a window has charts; pages that change what a server has are in a browser
 * that has just been opened.
 */
function drawAt(address: string, isLive: boolean, draw: () => string): string {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-06-01T12:00:00Z') })
  vi.stubGlobal('document', { baseURI: 'http://127.0.0.1/' })
  if (isLive) {
    vi.stubGlobal('localStorage', { getItem: () => null })
    vi.stubGlobal('window', { location: new URL(address, 'http://127.0.0.1/') })
  }
  try {
    return draw()
  } finally {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  }
}
