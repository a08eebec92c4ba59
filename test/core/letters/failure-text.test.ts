import { expect, it } from 'vitest';
import { withKeptText } from '../../../core/letters/failure-text';

const step = { activityType: 'chargeCard', failure: { type: 'CardDeclined', message: 'card 4711', encoded: 'text' } };

it('a failure’s text is kept as it is, redacted, or not at all', () => {
  expect(withKeptText(step, {})).toEqual(step);
  expect(withKeptText(step, { redact: (text) => text.replace(/\d+/, '…') }).failure.message).toBe('card …');
  expect(withKeptText(step, { keepFailureTexts: false }).failure).toEqual({ type: 'CardDeclined', message: '' });
});

it('a secret that the length limit would cut in two is redacted whole', () => {
  const failure = { type: 'CardDeclined', message: `${'x'.repeat(990)}4111111111111111` };
  const redact = (text: string) => text.replace(/\d{16}/, '…');
  expect(withKeptText({ failure }, { redact }).failure.message).toBe(`${'x'.repeat(990)}…`);
});

it('a text is at most 1,000 characters long and can be stored, whatever redaction and the limit make of it', () => {
  const redact = () => `${'x'.repeat(999)}😀`;
  expect(withKeptText({ failure: { type: '', message: 'a' } }, { redact }).failure.message).toBe(
    `${'x'.repeat(999)}\ufffd`,
  );
});

it.each([undefined, null, Promise.resolve('card 4711')])(
  'a text for which `redact` returns %s is not stored',
  (returned) => {
    expect(withKeptText(step, { redact: () => returned as never }).failure.message).toBe('');
  },
);

it('a text for which `redact` throws is not stored, and the failure keeps its type', () => {
  const redact = () => {
    throw new TypeError('a bug in redact');
  };
  expect(withKeptText(step, { redact }).failure).toEqual({ ...step.failure, message: '' });
});
