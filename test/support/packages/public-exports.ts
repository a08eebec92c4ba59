import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
// The native compiler has no API that reads comments yet.
import type TypeScript from '../../../node_modules/@arethetypeswrong/core/node_modules/typescript';
import { typescript5 } from './packed-project';

const ROOT = resolve(__dirname, '../../..');
export const ts: typeof TypeScript = require(typescript5());

/** What one entry of the package exports, such as `./trigger`. */
export interface PublicEntry {
  path: string;
  exported: { name: string; symbol: TypeScript.Symbol }[];
}

/** The exports of each entry of the package, as it is built. */
export function publicEntries(): { entries: PublicEntry[]; checker: TypeScript.TypeChecker } {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const files = Object.entries<{ types?: string }>(exports).flatMap(([path, { types }]) =>
    types ? [{ path, types: join(ROOT, types) }] : [],
  );
  const program = ts.createProgram(
    files.map(({ types }) => types),
    {
      module: ts.ModuleKind.Node16,
      moduleResolution: ts.ModuleResolutionKind.Node16,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      skipLibCheck: true,
      types: ['node'],
    },
  );
  const checker = program.getTypeChecker();
  const entries = files.map(({ path, types }) => {
    const found = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(types)!)!);
    const exported = found.map((one) => ({
      name: one.name,
      symbol: one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one,
    }));
    return { path, exported };
  });
  return { entries, checker };
}
