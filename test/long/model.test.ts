import { beforeAll, expect, it } from 'vitest';
import { run } from '../../provision/run';
import { NEEDED, resultOf, SEARCHED } from '../support/pages/model-page';
import { ensureProgram } from '../support/servers/debian-program';

beforeAll(async () => {
  await ensureProgram('java', 'default-jre-headless');
  await ensureProgram('pip3', 'python3-pip');
});

it('the model holds in each scenario, breaks without each of its guards, and its page has the states and violations', async () => {
  const { code, output } = await run(process.execPath, ['scripts/model.mjs']);
  expect(output).not.toContain('FAILED');
  expect(code).toBe(0);
  // The depth is not compared: with several workers it differs from run to run.
  expect(found(output, /^ok {5}(?!without)(.+): ([\d,]+) states/gm)).toEqual(SEARCHED);
  expect(found(output, /^ok {5}without "(.+)": (\w+)$/gm)).toEqual(NEEDED);
});

/** What the search printed. */
function found(output: string, pattern: RegExp): string[] {
  return [...output.matchAll(pattern)].map(([, name, result]) => resultOf(name!, result!));
}
