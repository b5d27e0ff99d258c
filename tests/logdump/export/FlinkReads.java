import java.util.StringJoiner;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** Prints the changes that Flink reads from a file: arguments are columns, format, path. */
public class FlinkReads {
    public static void main(String[] words) throws Exception {
        TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        tables.getConfig().set("parallelism.default", "1");
        String with = "'connector'='filesystem','path'='file://" + words[2] + "','format'='" + words[1] + "'";
        tables.executeSql("CREATE TEMPORARY TABLE t (" + words[0] + ") WITH (" + with + ")");
        try (CloseableIterator<Row> rows = tables.executeSql("SELECT * FROM t").collect()) {
            while (rows.hasNext()) {
                Row row = rows.next();
                StringJoiner line = new StringJoiner("\u001f");
                line.add(row.getKind().shortString());
                for (int place = 0; place < row.getArity(); place++) {
                    line.add(row.getField(place) == null ? "\u001e" : row.getField(place).toString().replace("\n", "\u001d"));
                }
                System.out.println(line);
            }
        }
        System.exit(0);
    }
}
