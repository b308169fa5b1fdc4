// Runs queries on a Parquet file with DuckDB: node duckdb.mjs FILE < queries,
// a JSON array of texts in which FILE stands for the file. Prints a JSON array
// of their rows.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const { DuckDBInstance } = createRequire(import.meta.url)("@duckdb/node-api");
const connection = await (await DuckDBInstance.create(":memory:")).connect();
await connection.run("set timezone='UTC'");
const out = [];
for (const query of JSON.parse(readFileSync(0, "utf8"))) {
  const reader = await connection.runAndReadAll(query.replaceAll("FILE", "'" + process.argv[2] + "'"));
  out.push(reader.getRowsJson());
}
console.log(JSON.stringify(out));
