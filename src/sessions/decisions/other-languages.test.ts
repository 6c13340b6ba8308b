import { expect, it } from "vitest";
import { isChoiceElsewhere } from "./other-languages.ts";

it.each([
  "Beslutning: vi gemmer køen i SQLite og ikke i filer",
  "lad os bruge en låsefil i stedet for at prøve igen",
  "vi har besluttet, at indekset aldrig ligger i repositoriet",
  "Entscheidung: die Warteschlange bleibt in SQLite",
  "Lass uns eine Sperrdatei verwenden statt eines erneuten Versuchs",
  "wir haben uns dafür entschieden, den Index außerhalb des Repositorys zu halten",
  "Décision : on garde la file dans SQLite",
  "utilisons un fichier de verrou plutôt que de réessayer",
  "on a décidé de garder l'index en dehors du dépôt",
  "Decisión: la cola se queda en SQLite",
  "vamos a usar un archivo de bloqueo en vez de reintentar",
  "hemos decidido guardar el índice fuera del repositorio",
  "Decisão: a fila fica no SQLite",
  "vamos usar um arquivo de trava em vez de tentar de novo",
  "decidimos manter o índice fora do repositório",
  "決定：キューはSQLiteに保存する",
  "再試行ではなくロックファイルを使ってください",
  "インデックスはリポジトリの外に置くことにしました",
  "决定：队列保存在SQLite中",
  "使用锁文件而不是重试，因为重试会隐藏竞争",
  "我们决定把索引放在仓库之外",
])("chooses: %s", (sentence) => {
  expect(isChoiceElsewhere(sentence)).toBe(true);
});

it.each([
  "skal vi bruge en låsefil i stedet for at prøve igen?",
  "det virker ikke, fordi køen ligger i filer",
  "sollten wir eine Sperrdatei statt eines Versuchs verwenden",
  "Nutze bitte den Knopf oben rechts",
  "peut-être qu'on pourrait utiliser SQLite plutôt que des fichiers",
  "ajoute un test pour la file",
  "podríamos usar SQLite en vez de archivos",
  "corrige el error porque falla la prueba",
  "talvez usar SQLite em vez de arquivos",
  "テストを追加してください",
  "SQLiteを使うのはどうでしょうか、ファイルではなく",
  "请修复这个错误，因为测试失败了",
  "要不要使用SQLite而不是文件",
  "let us meet tomorrow instead of today",
])("asks, doubts, orders work or tells: %s", (sentence) => {
  expect(isChoiceElsewhere(sentence)).toBe(false);
});
