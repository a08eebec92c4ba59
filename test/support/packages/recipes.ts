import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve(__dirname, '../../testing');

/** A file of the recipes' folder. */
export const readRecipe = (path: string) => readFileSync(join(FOLDER, path), 'utf8');

/** A recipe, rewritten for another test runner than Node's own. */
export function under(runner: string, name: string): string {
  return readRecipe(`recipes/${name}.ts`)
    .replace(/import \{ (.*) \} from 'node:test';/, `import { $1 } from '${runner}';`)
    .replace('after, before, test', 'afterAll as after, beforeAll as before, test');
}
