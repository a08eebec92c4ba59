import { expect, it } from 'vitest';
import { withKeptText } from '../../../core/letters/failure-text';

const step = { activityType: 'chargeCard', failure: { type: 'CardDeclined', message: 'card 4711', encoded: 'text' } };

it('a failure’s text is kept as it is, redacted, or not at all', () => {
  expect(withKeptText(step, {})).toEqual(step);
  expect(withKeptText(step, { redact: (text) => text.replace(/\d+/, '…') }).failure.message).toBe('card …');
  expect(withKeptText(step, { keepFailureTexts: false }).failure).toEqual({ type: 'CardDeclined', message: '' });
});
