import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** What people read before they upgrade. */
const WORDS_AT_MOST = 4_500;
const LINES_AT_MOST = 2;

const changelog = readFileSync(resolve(__dirname, '../../CHANGELOG.md'), 'utf8');
const versions = changelog.split(/^## /m).slice(1);

describe('the changelog is read before an upgrade, so', () => {
  it('a version has at most 4,500 words', () => {
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter((version) => version.split(/\s+/).length > WORDS_AT_MOST)).toEqual([]);
  });

  it('a bullet has at most two lines', () => {
    expect(bulletsOf(changelog).filter((bullet) => bullet.split('\n').length > LINES_AT_MOST)).toEqual([]);
  });

  it('each bullet about something new links to its page', () => {
    const added = versions.flatMap((version) => bulletsOf(sectionOf(version, 'Added')));
    expect(added.length).toBeGreaterThan(0);
    expect(added.filter((bullet) => !bullet.includes(']('))).toEqual([]);
  });
});

function sectionOf(version: string, name: string): string {
  return version.split(/^### /m).find((section) => section.startsWith(`${name}\n`)) ?? '';
}

function bulletsOf(text: string): string[] {
  return text.match(/^(?:-|\d+\.) .*(?:\n {2,}\S.*)*/gm) ?? [];
}
