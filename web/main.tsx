import { render } from 'preact'
import './style.css'
import { Shell } from './app/shell'

render(<Shell />, document.getElementById('app') as HTMLElement)
