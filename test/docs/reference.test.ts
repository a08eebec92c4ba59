import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import type TypeScript from '../../node_modules/@arethetypeswrong/core/node_modules/typescript';
import { publicEntries, ts } from '../support/packages/public-exports';

const ROOT = resolve(__dirname, '../..');
const DIST = `${join(ROOT, 'dist').replaceAll('\\', '/')}/`;
const { entries, checker } = publicEntries();

interface Documented {
  /** Such as `client/handle.d.ts ScheduleHandle.describe`. */
  name: string;
  comment: string;
  tags: string[];
  symbol: TypeScript.Symbol;
  node: TypeScript.Declaration;
}

/** Every symbol that an entry of the package exports, and every member of those that people see. */
function publicSymbols(): Documented[] {
  const found = new Map<TypeScript.Symbol, Documented>();

  const add = (symbol: TypeScript.Symbol, node: TypeScript.Declaration, name: string) => {
    if (found.has(symbol)) return false;
    const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    const tags = symbol.getJsDocTags(checker);
    const file = node.getSourceFile().fileName.slice(DIST.length);
    const text = [comment, ...tags.map((tag) => ts.displayPartsToString(tag.text))].join(' ').trim();
    found.set(symbol, { name: `${file} ${name}`, comment: text, tags: tags.map((tag) => tag.name), symbol, node });
    return true;
  };
  const membersOf = (type: TypeScript.Node, name: string): void => {
    if (ts.isTypeLiteralNode(type)) for (const member of type.members) addMember(member, name);
    else if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type))
      for (const part of type.types) membersOf(part, name);
    else if (ts.isParenthesizedTypeNode(type)) membersOf(type.type, name);
  };
  const addMember = (member: TypeScript.Declaration, of: string): void => {
    const name = ts.getNameOfDeclaration(member);
    const isHidden = ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private;
    if (!name || isHidden || ts.isPrivateIdentifier(name)) return;
    const symbol = checker.getSymbolAtLocation(name);
    const type = ts.isPropertySignature(member) || ts.isPropertyDeclaration(member) ? member.type : undefined;
    // Fields that distinguish the members of a union, or the errors, are explained by their only value.
    if (!symbol || (type && ts.isLiteralTypeNode(type)) || symbol.name === 'name') return;
    if (add(symbol, member, `${of}.${symbol.name}`) && type) membersOf(type, `${of}.${symbol.name}`);
  };
  for (const { name, symbol } of entries.flatMap(({ exported }) => exported)) {
    for (const node of symbol.declarations ?? []) {
      if (!node.getSourceFile().fileName.startsWith(DIST)) continue;
      add(symbol, node, name);
      if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) {
        for (const member of node.members) addMember(member, name);
      }
      if (ts.isTypeAliasDeclaration(node)) membersOf(node.type, name);
    }
  }
  return [...found.values()];
}

const symbols = publicSymbols();

it('every public symbol, and every member of one, says what it is', () => {
  expect(symbols.length).toBeGreaterThan(500);
  expect(symbols.filter(({ comment }) => comment === '').map(({ name }) => name)).toEqual([]);
});

it('every option that may be left out says what happens then', () => {
  const optional = symbols.filter(
    ({ node }) => ts.isPropertySignature(node) && node.questionToken && /Options$/.test(parentName(node)),
  );
  expect(optional.length).toBeGreaterThan(50);
  const silent = optional.filter(
    ({ comment, tags }) => !tags.includes('default') && !/default|without|only (?:those|used)/i.test(comment),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

it('every number that is a length of time says its unit', () => {
  const lengths = symbols.filter(({ symbol, node }) => {
    const type = ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) ? node.type : undefined;
    return (
      type?.kind === ts.SyntaxKind.NumberKeyword &&
      /timeout|interval|window|ttl$|delay|milliseconds/i.test(symbol.name) &&
      // A number of occurrences, by Temporal's name.
      symbol.name !== 'numActionsMissedCatchupWindow'
    );
  });
  expect(lengths.length).toBeGreaterThan(10);
  const bare = lengths.filter(({ name, comment }) => !/milliseconds|seconds/i.test(`${name} ${comment}`));
  expect(bare.map(({ name }) => name)).toEqual([]);
});

function parentName(node: TypeScript.Node): string {
  return ts.isInterfaceDeclaration(node.parent) ? node.parent.name.text : '';
}

it('every class and function leads to a page that says more', () => {
  const callable = symbols.filter(
    ({ node, name }) =>
      (ts.isClassDeclaration(node) || ts.isFunctionDeclaration(node)) && !/(Error|Running)$/.test(name),
  );
  expect(callable.length).toBeGreaterThan(15);
  expect(callable.filter(({ tags }) => !tags.includes('see')).map(({ name }) => name)).toEqual([]);
  for (const { name, comment } of callable) {
    for (const [page] of comment.matchAll(/\b(docs\/)?[\w-]+\.md\b/g)) {
      expect(existsSync(join(ROOT, page)), `${name}: ${page}`).toBe(true);
    }
  }
});

it('docs/typescript.md leads to each entry of the package, and names what the entry exports', () => {
  const page = readFileSync(join(ROOT, 'docs/typescript.md'), 'utf8');
  const rows = [...page.matchAll(/^\| \[escapement(.*?)\]\(\.\.\/(\S+?)\) \| (.+) \| (.*)\|$/gm)];
  const named = rows.map(([, path, source]) => [`.${path}`, source]);
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const sources = entries.map(({ path }) => [path, exports[path].types.replace(/^\.\/dist\/(.+)\.d\.ts$/, '$1.ts')]);
  expect(named.toSorted()).toEqual(sources.toSorted());
  const missing = rows.flatMap(([, path, , begin, options]) => {
    const { exported } = entries.find((entry) => entry.path === `.${path}`)!;
    const names = [...`${begin} ${options}`.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
    return names.filter((name) => !exported.some((one) => one.name === name)).map((name) => `${path}: ${name}`);
  });
  expect(missing).toEqual([]);
});
