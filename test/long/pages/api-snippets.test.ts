import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { serve } from '../../../server';
import { createToken } from '../../../server/access/tokens';
import { temporaryFolder } from '../../support/folder';
import { someSchedule, useLedger } from '../../support/ledger';
import { withoutServers } from '../../support/processes/child';

const ledger = useLedger();
const page = (name: string) => readFileSync(resolve(__dirname, '../../../docs', name), 'utf8');

/** How a snippet of each language is run. */
const RUN: Record<string, [file: string, command: string, ...args: string[]]> = {
  bash: ['register.sh', 'bash', 'register.sh'],
  python: ['register.py', 'python3', 'register.py'],
  go: ['main.go', 'go', 'run', 'main.go'],
  java: ['Register.java', 'java', 'Register.java'],
};

/** Run the first snippet of each language on a page, against a server of the ledger. Rejects where one ends with another code than 0. */
async function runSnippets(text: string, languages: string[]): Promise<void> {
  const postgres = { connectionString: ledger().databaseUrl };
  const scopes = ['write', 'read', 'operate'] as never;
  const { token } = await createToken(postgres, { name: 'snippets', scopes, actor: 'ops' });
  const server = await serve({ ...postgres, port: 0 });
  try {
    for (const language of languages) {
      const [file, command, ...args] = RUN[language]!;
      const [, snippet] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)!;
      const folder = await temporaryFolder();
      writeFileSync(join(folder, file), snippet!);
      const env = { ...withoutServers(), ESCAPEMENT_URL: server.url, ESCAPEMENT_TOKEN: token };
      await promisify(execFile)(command, args, { cwd: folder, env });
    }
  } finally {
    await server.close();
  }
}

it('registers a schedule in each language by the snippets of docs/api.md', async () => {
  await runSnippets(page('api.md'), Object.keys(RUN));
  const ids: string[] = [];
  for await (const { scheduleId } of ledger().client.list()) ids.push(scheduleId);
  expect(ids).toEqual(['nightly-curl', 'nightly-go', 'nightly-java', 'nightly-python']);
});

it('handles a schedule that was moved here in each language by the snippets of docs/moving.md', async () => {
  const languages = ['go', 'python', 'java'];
  await ledger().client.create(someSchedule({ scheduleId: 'nightly-report' }));
  await runSnippets(page('moving.md'), languages);
  const asked = await ledger().query(`select 1 from escapement.firings where kind = 'manual'`);
  expect(asked).toHaveLength(languages.length);
});
