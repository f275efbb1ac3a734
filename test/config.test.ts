import { Command, type Option } from 'commander'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  allowHostOption,
  allowOriginOption,
  collectUnique,
  databaseOption,
  hostOption,
  parseText,
  pathPrefixOption,
  portOption,
  submissionLimitOption,
  trustProxyOption,
  uploadLimitOption,
  wholeNumber,
} from '../src/config.js'

afterEach(() => vi.unstubAllEnvs())

describe('options and environment variables', () => {
  it.each([
    ['--database', databaseOption(), 'accord.sqlite'],
    ['--host', hostOption(), '127.0.0.1'],
    ['--port', portOption(), 4000],
    ['--upload-limit', uploadLimitOption(), '2gb'],
    ['--submission-limit', submissionLimitOption(), '200mb'],
    ['--allow-origin', allowOriginOption(), []],
    ['--allow-host', allowHostOption(), []],
    ['--trust-proxy', trustProxyOption(), []],
    ['--path-prefix', pathPrefixOption(), ''],
  ])('%s has a default', (_flag, option, expected) => {
    expect(parse(option, [])).toEqual(expected)
  })

  it.each([
    ['ACCORD_DATABASE', databaseOption(), 'coco.sqlite', 'coco.sqlite'],
    ['ACCORD_HOST', hostOption(), '::1', '::1'],
    ['ACCORD_PORT', portOption(), '0', 0],
    ['ACCORD_UPLOAD_LIMIT', uploadLimitOption(), '1.5GB', '1.5GB'],
    ['ACCORD_SUBMISSION_LIMIT', submissionLimitOption(), '30mb', '30mb'],
    ['ACCORD_ALLOW_ORIGIN', allowOriginOption(), 'http://a.example, *', ['http://a.example', '*']],
    ['ACCORD_ALLOW_HOST', allowHostOption(), 'A.example', ['a.example']],
    ['ACCORD_TRUST_PROXY', trustProxyOption(), '::1, 10.0.0.0/8', ['::1', '10.0.0.0/8']],
    ['ACCORD_PATH_PREFIX', pathPrefixOption(), '/accord/', '/accord'],
  ])('%s is used if the option is not given', (variable, option, value, expected) => {
    vi.stubEnv(variable, value)
    expect(parse(option, [])).toEqual(expected)
  })

  it('the option takes precedence', () => {
    vi.stubEnv('ACCORD_PORT', '1')
    expect(parse(portOption(), ['--port', '65535'])).toBe(65535)
  })

  it.each([
    [
      ['--port', '70000'],
      portOption(),
      "'--port <number>' argument '70000' is invalid. Expected an integer from 0 to 65535.",
    ],
    [['--port', '-1'], portOption(), "argument '-1' is invalid"],
    [['--port', '80.5'], portOption(), "argument '80.5' is invalid"],
    [['--port', '0x50'], portOption(), "argument '0x50' is invalid"],
    [['--port', ''], portOption(), "argument '' is invalid"],
    [['--host', ' '], hostOption(), 'Expected non-blank text.'],
    [['--database', ''], databaseOption(), 'Expected non-blank text.'],
    [['--upload-limit', 'lots'], uploadLimitOption(), 'Expected a size such as 500kb, 20mb or 1gb.'],
    [['--upload-limit', '20'], uploadLimitOption(), 'Expected a size'],
    [
      ['--allow-origin', 'dashboard.example'],
      allowOriginOption(),
      'Expected * or an origin such as https://',
    ],
    [['--allow-origin', 'https://a.example/'], allowOriginOption(), 'Expected * or an origin'],
    [['--allow-host', 'a.example:80'], allowHostOption(), 'Expected the name of a host without a port'],
    [['--trust-proxy', 'proxy.example'], trustProxyOption(), 'Expected an IP address or a network'],
    [['--trust-proxy', '10.0.0.0/33'], trustProxyOption(), 'Expected an IP address or a network'],
    [['--path-prefix', 'accord'], pathPrefixOption(), 'Expected a path such as /accord.'],
    [['--path-prefix', '/a?b'], pathPrefixOption(), 'Expected a path'],
  ])('rejects %j', (flags, option, message) => {
    expect(() => parse(option, flags)).toThrow(message)
  })

  it('names the variable with the invalid value', () => {
    vi.stubEnv('ACCORD_PORT', 'http')
    expect(() => parse(portOption(), [])).toThrow(
      "value 'http' from env 'ACCORD_PORT' is invalid. Expected an integer from 0 to 65535.",
    )
  })
})

describe('wholeNumber', () => {
  it.each([
    ['1', 1],
    ['007', 7],
    ['9007199254740991', 9007199254740991],
  ])('parses %s', (text, expected) => {
    expect(wholeNumber(1)(text)).toBe(expected)
  })

  it.each(['0', '1e3', '1_000', ' 1', '１', '9007199254740993', 'NaN', 'Infinity'])('rejects %j', (text) => {
    expect(() => wholeNumber(1)(text)).toThrow('Expected an integer of at least 1.')
  })
})

describe('collectUnique', () => {
  it('collects distinct values in order of first appearance', () => {
    const collect = collectUnique(parseText)
    expect(collect('b', collect('a', collect('b')))).toEqual(['b', 'a'])
  })
})

/** Parses the flags of a program with one option and returns its value. */
function parse(option: Option, flags: string[]): unknown {
  const program = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addOption(option)
  return program.parse(flags, { from: 'user' }).opts()[option.attributeName()]
}
