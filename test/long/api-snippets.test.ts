import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { serve } from '../../server';
import { createToken } from '../../server/access/tokens';
import { withoutServers } from '../support/child';
import { temporaryFolder } from '../support/folder';
import { useLedger } from '../support/ledger';

const ledger = useLedger();
const PAGE = readFileSync(resolve(__dirname, '../../docs/api.md'), 'utf8');

/** How a snippet of each language is run. */
const RUN: Record<string, [file: string, command: string, ...args: string[]]> = {
  bash: ['register.sh', 'bash', 'register.sh'],
  python: ['register.py', 'python3', 'register.py'],
  go: ['main.go', 'go', 'run', 'main.go'],
  java: ['Register.java', 'java', 'Register.java'],
};

it('registers a schedule in each language by the snippets of docs/api.md', async () => {
  const postgres = { connectionString: ledger().databaseUrl };
  const { token } = await createToken(postgres, { name: 'snippets', scopes: ['write', 'read'], actor: 'ops' });
  const server = await serve({ ...postgres, port: 0 });
  try {
    for (const [language, [file, command, ...args]] of Object.entries(RUN)) {
      const [, snippet] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)!;
      const folder = await temporaryFolder();
      writeFileSync(join(folder, file), snippet!);
      const env = { ...withoutServers(), ESCAPEMENT_URL: server.url, ESCAPEMENT_TOKEN: token };
      // Rejects where it ends with another code than 0.
      await promisify(execFile)(command, args, { cwd: folder, env });
    }
    const ids: string[] = [];
    for await (const { scheduleId } of ledger().client.list()) ids.push(scheduleId);
    expect(ids).toEqual(['nightly-curl', 'nightly-go', 'nightly-java', 'nightly-python']);
  } finally {
    await server.close();
  }
});
