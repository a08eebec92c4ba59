import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { showLetterProgress } from '../../cli/dead-letter/dead-letter-progress';
import { showProgress } from '../../cli/output/progress';

let isTerminal: boolean;
const written = () => vi.mocked(process.stderr.write).mock.calls.map(([chunk]) => String(chunk));

beforeEach(() => {
  isTerminal = process.stderr.isTTY;
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  process.stderr.isTTY = isTerminal;
  vi.restoreAllMocks();
});

it('long work shows a bar on one line of a terminal, and ends the line when it is done', () => {
  process.stderr.isTTY = true;
  showProgress(1, 3);
  showProgress(3, 3);
  expect(written()).toEqual([`\r[${'#'.repeat(10)}${' '.repeat(20)}] 1/3`, `\r[${'#'.repeat(30)}] 3/3\n`]);
});

it('work on letters counts those that were refused as well', () => {
  process.stderr.isTTY = true;
  showLetterProgress({ total: 4, redriven: 1, refused: { DeadLetterStateError: 1 } });
  expect(written()).toEqual([`\r[${'#'.repeat(15)}${' '.repeat(15)}] 2/4`]);
});

it('shows no bar on a pipe', () => {
  process.stderr.isTTY = false;
  showProgress(1, 3);
  showLetterProgress({ total: 4, discarded: 1, refused: {} });
  expect(written()).toEqual([]);
});
