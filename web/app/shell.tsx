import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Help } from '../components/help'
import { NotFound, Skeleton } from '../components/states'
import { href, Link, match, navigate, type Parameters, type Route, useLocation } from './router'

/** Pages, each loaded when it is first opened. */
const ROUTES: readonly Route[] = [
  { pattern: '', load: () => import('../pages/home') },
  { pattern: 'd/:dataset', load: () => import('../pages/leaderboard') },
  { pattern: 'd/:dataset/words', load: () => import('../pages/words') },
  { pattern: 'd/:dataset/words/:word', load: () => import('../pages/word') },
  { pattern: 'd/:dataset/images', load: () => import('../pages/images') },
  { pattern: 'd/:dataset/images/:image', load: () => import('../pages/image') },
  { pattern: 'd/:dataset/systems/:system', load: () => import('../pages/system') },
  { pattern: 'd/:dataset/compare/:first/:second', load: () => import('../pages/compare') },
  { pattern: 'd/:dataset/agreement', load: () => import('../pages/agreement') },
  { pattern: 'd/:dataset/selection', load: () => import('../pages/selection') },
  { pattern: 'd/:dataset/bounds', load: () => import('../pages/bounds') },
  { pattern: 'composites/:name', load: () => import('../pages/composite') },
  { pattern: 'metrics', load: () => import('../pages/metrics') },
  { pattern: 'jobs', load: () => import('../pages/jobs') },
  { pattern: 'import', load: () => import('../pages/import') },
  { pattern: 'collect/:name', load: () => import('../pages/collect') },
]

const SECTIONS = [
  { path: [], title: 'Systems' },
  { path: ['words'], title: 'Words' },
  { path: ['images'], title: 'Images' },
  { path: ['agreement'], title: 'Agreement' },
  { path: ['selection'], title: 'Objects' },
  { path: ['bounds'], title: 'Bounds' },
] as const

/** The header of all pages, and the page of the address. */
export function Shell() {
  const { path } = useLocation()
  const found = findRoute(path)
  const dataset = found?.parameters.dataset
  useShortcuts(dataset)
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <Link to={href()} class="brand">
          Accord
        </Link>
        {dataset && (
          <nav aria-label={`Dataset ${dataset}`}>
            <strong title={dataset}>{dataset}</strong>
            {SECTIONS.map((section) => {
              const to = href('d', dataset, ...section.path)
              return (
                <Link
                  key={section.title}
                  to={to}
                  current={href(...path.split('/').map(decodeURIComponent)) === to}
                >
                  {section.title}
                </Link>
              )
            })}
          </nav>
        )}
        <nav aria-label="Everything" class="everything">
          <Link to={href('metrics')} current={path === 'metrics'}>
            Metrics
          </Link>
          <Link to={href('jobs')} current={path === 'jobs'}>
            Jobs
          </Link>
          <Link to={href('import')} current={path === 'import'}>
            Import
          </Link>
          <a href={href('graphql')}>Explorer</a>
        </nav>
      </header>
      <main id="main">
        {found ? (
          <Page key={path} load={found.route.load} parameters={found.parameters} />
        ) : (
          <NotFound title="There is no page here.">
            <Link to={href()}>All datasets</Link>
          </NotFound>
        )}
      </main>
      <Help />
    </>
  )
}

function findRoute(path: string): { route: Route; parameters: Parameters } | undefined {
  for (const route of ROUTES) {
    const parameters = match(route.pattern, path)
    if (parameters) return { route, parameters }
  }
  return undefined
}

const loaded = new Map<Route['load'], ComponentType<Parameters>>()

function Page({ load, parameters }: { readonly load: Route['load']; readonly parameters: Parameters }) {
  const [, show] = useState(0)
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    if (!loaded.has(load)) {
      void load().then((module) => {
        loaded.set(load, module.default)
        if (isShown.current) show((number) => number + 1)
      })
    }
    return () => {
      isShown.current = false
    }
  }, [load])
  const Content = loaded.get(load)
  return Content ? <Content {...parameters} /> : <Skeleton height={600} />
}

/** `/` searches: the field of the page, or the images of the dataset. */
function useShortcuts(dataset: string | undefined): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { tagName } = event.target as HTMLElement
      if (event.key !== '/' || event.ctrlKey || event.metaKey || /INPUT|TEXTAREA|SELECT/.test(tagName)) return
      const field = document.querySelector<HTMLInputElement>('input[type=search]')
      if (!field && !dataset) return
      event.preventDefault()
      if (field) field.focus()
      else navigate(href('d', dataset as string, 'images'))
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [dataset])
}
