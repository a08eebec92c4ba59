import { execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { serve } from '../../../server';
import { createToken } from '../../../server/access/tokens';
import { temporaryFolder } from '../../support/folder';
import { someSchedule, useLedger } from '../../support/ledger';
import { TestProcess, withoutServers } from '../../support/processes/child';

const ledger = useLedger();
const page = (name: string) => readFileSync(resolve(__dirname, '../../../docs', name), 'utf8');

/** How a snippet of each language is run. */
const RUN: Record<string, [file: string, command: string, ...args: string[]]> = {
  bash: ['register.sh', 'bash', 'register.sh'],
  python: ['register.py', 'python3', 'register.py'],
  go: ['main.go', 'go', 'run', 'main.go'],
  java: ['Register.java', 'java', 'Register.java'],
};

/** The blocks of a language on a page. */
function blocksOf(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code]) => code!);
}

/** Does the work with the variables that name a server of the ledger, and a token of it. */
async function withServer(work: (env: NodeJS.ProcessEnv) => Promise<void>): Promise<void> {
  const postgres = { connectionString: ledger().databaseUrl };
  const scopes = ['write', 'read', 'operate'] as never;
  const { token } = await createToken(postgres, { name: 'snippets', scopes, actor: 'ops' });
  const server = await serve({ ...postgres, port: 0 });
  try {
    await work({ ...withoutServers(), ESCAPEMENT_URL: server.url, ESCAPEMENT_TOKEN: token });
  } finally {
    await server.close();
  }
}

/** Run the first snippet of each language on a page, against a server of the ledger. Rejects where one ends with another code than 0. */
function runSnippets(text: string, languages: string[]): Promise<void> {
  return withServer(async (env) => {
    for (const language of languages) {
      const [file, command, ...args] = RUN[language]!;
      const folder = await temporaryFolder();
      writeFileSync(join(folder, file), blocksOf(text, language)[0]!);
      await promisify(execFile)(command, args, { cwd: folder, env });
    }
  });
}

it('registers a schedule in each language by the snippets of docs/api.md', async () => {
  await runSnippets(page('api.md'), Object.keys(RUN));
  const ids: string[] = [];
  for await (const { scheduleId } of ledger().client.list()) ids.push(scheduleId);
  expect(ids).toEqual(['nightly-curl', 'nightly-go', 'nightly-java', 'nightly-python']);
});

it('reads events by the other request of docs/api.md, and they look as it shows', async () => {
  const text = page('api.md');
  const [, stream, ...others] = blocksOf(text, 'bash');
  expect(others).toEqual([]);
  await ledger().client.create(someSchedule({ scheduleId: 'nightly-curl' }));
  const home = await temporaryFolder();
  // The stream has no end: should the test not end it, curl does.
  writeFileSync(join(home, '.curlrc'), 'include\nmax-time = 120\n');
  await withServer(async (env) => {
    const reader = new TestProcess(spawn('bash', ['-c', stream!.trim()], { env: { ...env, HOME: home } }));
    await reader.line(/^HTTP\/1\.1 200 /);
    await reader.line(/^retry: /);
    await ledger().client.getHandle('nightly-curl').trigger();
    const data = await reader.line(/^data: /);
    reader.kill('SIGKILL');
    await reader.ended();
    const lines = reader.output.slice(0, reader.output.indexOf(data) + 1).slice(-3);
    const [shown] = blocksOf(text, 'text');
    const begins = shown!
      .trim()
      .split('\n')
      .map((line) => /^\w+:(?: firing)?/.exec(line)![0]);
    expect(lines.map((line, index) => line.startsWith(begins[index]!))).toEqual([true, true, true]);
    const keys = [...shown!.matchAll(/"(\w+)":/g)].map(([, key]) => key);
    expect(Object.keys(JSON.parse(data.slice('data: '.length)))).toEqual(expect.arrayContaining(keys));
  });
});

it('handles a schedule that was moved here in each language by the snippets of docs/moving.md', async () => {
  const languages = ['go', 'python', 'java'];
  await ledger().client.create(someSchedule({ scheduleId: 'nightly-report' }));
  await runSnippets(page('moving.md'), languages);
  const asked = await ledger().query(`select 1 from escapement.firings where kind = 'manual'`);
  expect(asked).toHaveLength(languages.length);
});
