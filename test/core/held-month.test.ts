import { describe, expect, it } from 'vitest';
import { heldMonth } from '../../core/held-month';

const holder = {
  scheduleId: 'nightly',
  scheduledTime: new Date('2026-03-05T01:00:00Z'),
  letterId: null,
  open: 1,
};

describe('a month that is kept beyond the retention', () => {
  it.each([
    [1, '1 open firing or letter'],
    [2, '2 open firings and letters'],
    [12_345, '12,345 open firings and letters'],
  ])('says that %d rows keep it, and names one', (open, many) => {
    expect(heldMonth('2026-03', { ...holder, open }).text).toBe(
      `2026-03 is older than the retention, but is kept because of ${many}, such as that of 'nightly' at 2026-03-05T01:00:00.000Z.`,
    );
  });

  it('lets a person settle the dead letter that keeps it', () => {
    const { text, action } = heldMonth('2026-03', { ...holder, letterId: 'letter-7' });
    expect(action).toBe("Settle the dead letter: 'escapement dead-letter show letter-7'.");
    expect(text).toBe(heldMonth('2026-03', holder).text);
  });

  it('lets a person look why the firing that keeps it is open', () => {
    expect(heldMonth('2026-03', holder).action).toBe(
      "To see why it is open, run 'escapement explain nightly 2026-03-05T01:00:00.000Z'.",
    );
  });
});
