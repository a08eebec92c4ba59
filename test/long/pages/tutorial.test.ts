import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { packedProject } from '../../support/packages/packed-project';
import { wordsOf } from '../../support/pages/page-commands';
import { runNode } from '../../support/processes/child';

const PAGE = readFileSync(resolve(__dirname, '../../../docs/tutorial.md'), 'utf8');
const { peerDependencies } = JSON.parse(readFileSync(resolve(__dirname, '../../../package.json'), 'utf8'));
/** Asking once more changes nothing. */
const READS = /^npx escapement (firing list|dead-letter list|explain)\b/;

/** A command of the page, and what it shows under it; undefined where it shows nothing. */
interface Step {
  line: string;
  shown: string | undefined;
}

function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/```(sh|text)\n([\s\S]*?)```/g)].map(([, kind, text]) => ({ kind, text: text! }));
  return blocks.flatMap(({ kind, text }, index) => {
    if (kind !== 'sh') return [];
    const lines = text.trim().split('\n');
    const after = blocks[index + 1];
    const shown = after?.kind === 'text' ? after.text : undefined;
    return lines.map((line, place) => ({ line, shown: place === lines.length - 1 ? shown : undefined }));
  });
}

/** Without what is another time each time: instants, IDs and how wide columns are. */
function normal(text: string): string[] {
  return text
    .replace(/\w{3} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replace(/ +/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Lines of the page that are not there; `…` stands for anything. */
function missing(shown: string, output: string): string[] {
  const printed = normal(output);
  return normal(shown).filter((line) => {
    const pattern = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return !printed.some((one) => new RegExp(`^${pattern.join('.*')}$`).test(one));
  });
}

it('the tutorial, followed as it stands in a fresh project, shows at each step what the page says', {
  timeout: 600_000,
}, async () => {
  const steps = stepsOf(PAGE);
  const installed = steps
    .filter(({ line }) => line.startsWith('npm install'))
    .flatMap(({ line }) => line.split(' ').filter((word) => !/^(npm|install|--save-dev)$/.test(word)));
  const files = [...PAGE.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, name, code]) => [name!, code!]);
  expect(files.map(([name]) => name)).toEqual(['activities.ts', 'workflows.ts', 'worker.ts']);
  const project = await packedProject({
    files: Object.fromEntries(files),
    tools: installed.filter((name) => name !== 'escapement'),
    without: Object.keys(peerDependencies).filter((name) => !installed.includes(name)),
  });
  const { directory } = project;
  const env: Record<string, string> = {};
  let time = 'TIME';
  const start = (args: string[]) => runNode(args, env, directory);
  const ESCAPEMENT = join(directory, 'node_modules/escapement/dist/cli/main.js');
  const open: ReturnType<typeof start>[] = [];

  for (const { line, shown } of steps) {
    if (/^(mkdir|npm|export) /.test(line)) continue;
    if (line === 'npx escapement dev') {
      const dev = start([ESCAPEMENT, 'dev']);
      open.push(dev);
      await dev.line(/^Press Ctrl-C/);
      expect(missing(shown!, dev.output.join('\n')), line).toEqual([]);
      for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS']) {
        env[name] = dev.output.find((one) => one.startsWith(`${name}=`))!.slice(name.length + 1);
      }
    } else if (line === 'npx tsx worker.ts') {
      const worker = start(['--import', 'tsx', 'worker.ts']);
      open.push(worker);
      await expect
        .poll(() => [...worker.output, ...worker.errors].join('\n'), { timeout: 120_000 })
        .toContain('trigger running');
    } else if (line === 'touch bank-is-down') writeFileSync(join(directory, 'bank-is-down'), '');
    else if (line === 'rm bank-is-down') rmSync(join(directory, 'bank-is-down'));
    else {
      const [npx, name, ...args] = wordsOf(line.replace(/\bTIME\b/, '$TIME'), { TIME: time });
      expect([npx, name], line).toEqual(['npx', 'escapement']);
      let output = '';
      const run = async () => {
        const command = start([ESCAPEMENT, ...args]);
        const { code } = await command.ended();
        expect(code, `${line}\n${command.errors.join('\n')}`).toBe(0);
        output = command.output.join('\n');
        return shown === undefined ? [] : missing(shown, output);
      };
      if (READS.test(line)) await expect.poll(run, { timeout: 120_000, message: line }).toEqual([]);
      else expect(await run(), `${line}\n${output}`).toEqual([]);
      if (line.includes('--outcome failed')) {
        const failed = output.split('\n').slice(1);
        expect(failed).toHaveLength(1);
        [time] = failed[0]!.split(' ') as [string];
      }
    }
  }
  const list = start([ESCAPEMENT, 'firing', 'list', 'rent', '--json']);
  await list.ended();
  const outcomes = list.output.map((row) => JSON.parse(row)).filter(({ state }) => state === 'closed');
  expect(outcomes.filter(({ outcome }) => outcome !== 'completed')).toEqual([]);
  for (const running of open.reverse()) {
    running.kill('SIGINT');
    await running.ended();
  }
});
