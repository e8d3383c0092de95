// Makes site_builder/assets/rexrank.min.js from assets/js/*.js, and compare.min.js from assets/js/compare/*.js. The first line names the sources by digest, so that
// the builder falls back to the sources when somebody edits them and has no npm at hand.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { minify } from "terser";

const assets = new URL("../../site_builder/assets/", import.meta.url);
const options = {
  ecma: 2022,
  compress: { passes: 5, ecma: 2022, unsafe: true, unsafe_arrows: true, booleans_as_integers: true, pure_getters: true },
};
for (const [bundle, folder] of [["rexrank", "js/"], ["compare", "js/compare/"]]) {
  const names = readdirSync(new URL(folder, assets)).filter((name) => name.endsWith(".js")).sort();
  const source = names.map((name) => readFileSync(new URL(folder + name, assets), "utf8")).join("\n");
  const { code } = await minify(`(() => {\n${source}})();\n`, options);
  const digest = createHash("sha256").update(source).digest("hex");
  const made = `/* ${digest} */\n${code}\n`;
  const target = new URL(`${bundle}.min.js`, assets);
  if (process.argv[2] != "--check") writeFileSync(target, made);
  else if (readFileSync(target, "utf8") != made) {
    console.error(`${bundle}.min.js is not what assets/${folder} gives; run: npm --prefix tests/browser run minify`);
    process.exitCode = 1;
  }
}
