import { expect, it } from 'vitest';
import { pinoLogger } from '../../trigger/logging';

it('a line about an error says what the error and its cause say, and where it was thrown', () => {
  const lines: string[] = [];
  const logger = pinoLogger('info', { write: (line) => lines.push(line) });
  const error = new TypeError('no answer', { cause: new Error('ENOTFOUND db.internal') });
  logger.error('a request failed', { error });
  logger.warn('a pass failed', { error: 'a text stays a text' });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      msg: 'a request failed',
      error: {
        type: 'TypeError',
        message: 'no answer: ENOTFOUND db.internal',
        stack: expect.stringContaining('logging.test.ts'),
      },
    },
    { msg: 'a pass failed', error: 'a text stays a text' },
  ]);
});

it('a line has its level as a word, as the options and the pages name it', () => {
  const lines: string[] = [];
  const logger = pinoLogger('trace', { write: (line) => lines.push(line) });
  logger.warn('a pass failed');
  logger.log('DEBUG', 'left out');
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(['warn', 'debug']);
});
