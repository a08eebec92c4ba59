import { describe, expect, it } from 'vitest';
import { isEncodedArgs, NO_ARGS } from '../../../core/definition/encoded-args';
import { parseScheduleOptions } from '../../../core/definition/parse';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const metadata = { encoding: base64('json/plain') };
const payload = { metadata, data: base64('"emea"') };

describe('encoded arguments', () => {
  it.each<[string, unknown[]]>([
    ['no payload', []],
    ['one payload', [payload]],
    ['several payloads', [payload, payload, payload]],
    ['a payload without data, as that of undefined', [{ metadata }]],
    ['a payload whose data is undefined', [{ metadata, data: undefined }]],
    ['a payload with empty data', [{ metadata, data: '' }]],
    ['a payload with bytes that are no text', [{ metadata, data: Buffer.from([0, 255, 62, 63]).toString('base64') }]],
    ['more metadata than the encoding', [{ metadata: { ...metadata, key: base64('4711') }, data: 'YQ==' }]],
  ])('are an object with a list of payloads: %s', (_, payloads) => {
    expect(isEncodedArgs({ payloads })).toBe(true);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'payloads'],
    ['a number', 5],
    ['a list', [payload]],
    ['an empty object', {}],
    ['one payload without a list', { payloads: payload }],
    ['payloads that are missing', { payloads: undefined }],
    ['another field', { payload: [payload] }],
    ['a further field', { payloads: [payload], more: 1 }],
    ['a further field before it', { more: 1, payloads: [payload] }],
  ])('are not %s', (_, value) => {
    expect(isEncodedArgs(value)).toBe(false);
  });

  it.each<[string, unknown]>([
    ['a number', 1],
    ['null', null],
    ['a text', 'YQ=='],
    ['a list', []],
    ['an empty object', {}],
    ['data without metadata', { data: payload.data }],
    ['metadata that is null', { ...payload, metadata: null }],
    ['metadata that is a text', { ...payload, metadata: 'encoding' }],
    ['metadata that is a list', { ...payload, metadata: Object.assign([], metadata) }],
    ['metadata without an encoding', { ...payload, metadata: { key: base64('4711') } }],
    ['an encoding that is not in base64', { ...payload, metadata: { encoding: 'json/plain' } }],
    ['an encoding that is no text', { ...payload, metadata: { encoding: 5 } }],
    ['other metadata that is not in base64', { ...payload, metadata: { ...metadata, key: 'not base64' } }],
    ['data that is not in base64', { ...payload, data: 'not base64' }],
    ['data in base64 without its padding', { ...payload, data: 'YQ' }],
    ['data in the base64 of URLs', { ...payload, data: '_-8=' }],
    ['data that is null', { ...payload, data: null }],
    ['data that is a number', { ...payload, data: 1234 }],
    ['a further field', { ...payload, more: 'YQ==' }],
  ])('have no payload that is or has %s, whether alone or beside a good one', (_, bad) => {
    expect(isEncodedArgs({ payloads: [bad] })).toBe(false);
    expect(isEncodedArgs({ payloads: [payload, bad] })).toBe(false);
    expect(isEncodedArgs({ payloads: [bad, payload] })).toBe(false);
  });
});

describe('the arguments of a schedule', () => {
  const withArgs = (args: unknown) => ({
    scheduleId: 'nightly',
    spec: {},
    action: { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports', args },
  });

  it.each<[string, unknown]>([
    ['a list', ['emea']],
    ['payloads', { payloads: [payload] }],
  ])('are kept unchanged: %s', (_, args) => {
    expect(parseScheduleOptions(withArgs(args) as never, 'default').args).toEqual(args);
  });

  it('are refused with both forms that they may have', () => {
    expect(NO_ARGS).toContain('neither a list of arguments nor { payloads: [{ metadata: { encoding, … }, data }, …] }');
    const attempt = () => parseScheduleOptions(withArgs({ payloads: [1] }) as never, 'default');
    expect(attempt).toThrow('action.args: is neither a list of arguments nor { payloads: [');
  });
});
