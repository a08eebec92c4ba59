import { readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { run } from '../../../provision/run';
import { temporaryFolder } from '../../support/folder';
import { ensureProgram } from '../../support/servers/debian-program';

const PAGE = readFileSync(resolve(__dirname, '../../../docs/other-languages.md'), 'utf8');
/** What Temporal's servers and test servers, which are built for other tests, need as well: then nothing more is fetched. */
const SDK = { go: 'v1.44.0', java: '1.38.0' };

beforeAll(async () => {
  await ensureProgram('javac', 'default-jdk-headless');
  await ensureProgram('mvn', 'maven');
});

const GO_MODULE = `module reports

go 1.24.0

require go.temporal.io/sdk ${SDK.go}
`;

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>reports</groupId>
  <artifactId>reports</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-sdk</artifactId>
      <version>${SDK.java}</version>
    </dependency>
  </dependencies>
</project>
`;

it('docs/other-languages.md has snippets that compile with Temporal’s SDK in Go and in Java, and parse in Python', async () => {
  const folder = await temporaryFolder();
  await inFolder(join(folder, 'go'), { 'firing.go': snippet('go'), 'go.mod': GO_MODULE }, [
    ['go', 'vet', '-mod=mod', '.'],
  ]);
  await inFolder(join(folder, 'python'), { 'firing.py': snippet('python') }, [
    ['python3', '-m', 'py_compile', 'firing.py'],
  ]);
  const copy = ['dependency:copy-dependencies', '-DincludeScope=compile', '-DoutputDirectory=lib'];
  await inFolder(join(folder, 'java'), { 'Firing.java': snippet('java'), 'pom.xml': POM }, [
    ['mvn', '-B', '-q', '-Dstyle.color=never', ...copy],
    ['javac', '-proc:none', '-cp', 'lib/*', 'Firing.java'],
  ]);
  expect(await readdir(join(folder, 'java'))).toContain('Firing.class');
});

/** The page's block of a language, of which there is one. */
function snippet(language: string): string {
  const blocks = [...PAGE.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))];
  expect(blocks, language).toHaveLength(1);
  return blocks[0]![1]!;
}

async function inFolder(folder: string, files: Record<string, string>, commands: string[][]): Promise<void> {
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  for (const [command, ...args] of commands) {
    const { code, output } = await run(command!, args, { cwd: folder });
    expect({ code, output }).toMatchObject({ code: 0 });
  }
}
